// Search runs in a worker, and browsers start none for pages that lie on disk. There, a hidden frame is the worker.
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = data => void setTimeout(() => this.onmessage?.({data}));
      const script = inside.document.createElement("script");
      script.src = url;
      script.onload = () => {
        this.ready = true;
        this.waiting.splice(0).forEach(data => this.postMessage(data));
      };
      script.onerror = () => this.onerror?.(new ErrorEvent("error"));
      inside.document.body.append(script);
    }
    postMessage(data) {
      if (!this.ready) return void this.waiting.push(data);
      const inside = this.frame.contentWindow;
      setTimeout(() => inside.dispatchEvent(new inside.MessageEvent("message", {data})));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
