"""Wrong digits among pictures of one digit: pixels as numbers, then an own kernel that does not mind small shifts.

    python examples/python/images.py [--plot DIR]

The pictures are scikit-learn's 8 x 8 digits. Where EXPOSE_DATA names a folder with MNIST they are those, 28 x 28.
"""

import argparse
import gzip
import os
import pathlib

import numpy as np

import expose

parser = argparse.ArgumentParser()
parser.add_argument("--plot", type=pathlib.Path, metavar="DIR", help="save pictures there")
arguments = parser.parse_args()


def mnist(folder):
    images = np.frombuffer(gzip.open(folder / "t10k-images-idx3-ubyte.gz").read(), np.uint8, offset=16)
    labels = np.frombuffer(gzip.open(folder / "t10k-labels-idx1-ubyte.gz").read(), np.uint8, offset=8)
    return images.reshape(-1, 28, 28) / 255, labels


def digits():
    from sklearn.datasets import load_digits

    found = load_digits()
    return found.images / 16, found.target


folder = pathlib.Path(os.environ.get("EXPOSE_DATA", "nowhere"), "mnist")
images, labels = mnist(folder) if folder.exists() else digits()

# All pictures of the 4, and one wrong digit for twenty of them.
fours = np.flatnonzero(labels == 4)
others = np.random.default_rng(0).choice(np.flatnonzero(labels != 4), len(fours) // 20, replace=False)
images = np.concatenate([images[fours], images[others]])
wrong = np.arange(len(images)) >= len(fours)
print(f"{len(images)} pictures of {images.shape[1]} x {images.shape[2]} pixels, {wrong.sum()} of them wrong")


def auc(verdicts):
    return (verdicts.similarity[wrong][:, None] < verdicts.similarity[~wrong]).mean()


pixels = expose.detect(images.reshape(len(images), -1), scale="none", top=wrong.sum())
print(f"pixels as numbers: AUC {auc(pixels):.3f}, {wrong[pixels.anomalous].sum()} of {wrong.sum()} found")


def gauss(A, B):
    a, b = A.reshape(len(A), -1), B.reshape(len(B), -1)
    squares = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2 * a @ b.T
    return np.exp(-squares / (0.03 * a.shape[1]))


def shifted(A, B):
    """k(a, b) = sum over shifts s of w(s) gauss(a moved by s, b). The weights 1 2 1 make it positive semi-definite:
    their Fourier transform is a cosine squared, and gauss does not change if both pictures move."""
    weights = {-1: 1, 0: 2, 1: 1}
    return sum(weights[x] * weights[y] * gauss(np.roll(A, (x, y), axis=(1, 2)), B) for x in weights for y in weights)


own = expose.detect(images, kernel=expose.kernels.normalized(shifted), r=128, top=wrong.sum())
print(f"our own kernel:    AUC {auc(own):.3f}, {wrong[own.anomalous].sum()} of {wrong.sum()} found")

if arguments.plot:
    from matplotlib import pyplot

    arguments.plot.mkdir(parents=True, exist_ok=True)
    figure, axes = pyplot.subplots(2, 8, figsize=(6.4, 2.2), layout="constrained")
    for ax, i in zip(axes.flat, own.most_anomalous(16)):
        ax.imshow(images[i], cmap="gray_r")
        ax.set_title("wrong" if wrong[i] else "a four", fontsize=8, color="#D55E00" if wrong[i] else "black")
        ax.set(xticks=[], yticks=[])
    figure.savefig(arguments.plot / "images-found.png", dpi=90)
