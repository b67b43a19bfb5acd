// EXPOSE_API marks what a user of the library may call. Everything else stays hidden in a shared build.
#pragma once

#if defined(_WIN32) && defined(EXPOSE_SHARED)
#ifdef EXPOSE_BUILDING
#define EXPOSE_API __declspec(dllexport)
#else
#define EXPOSE_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define EXPOSE_API __attribute__((visibility("default")))
#else
#define EXPOSE_API
#endif
