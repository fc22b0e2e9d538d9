/** Where the frame of an app leaves the means to say that the app has loaded, until the guard takes it. */
const LOADED = '__tenonLoaded';

/** The attribute of a template that makes it a shadow root while HTML is parsed. */
const SHADOW = 'shadowrootmode';

/**
 * What comes before the page of an app. No policy covers WebRTC, which reaches any host, so it is taken away; and so are
 * frames inside the app, which would bring it back, unless the app declared some. The app can replace every function of the
 * page, so the guard keeps those that it needs; and no frame may hide in a shadow root that the guard has not seen: roots come
 * from `attachShadow` alone, not from HTML or from clones.
 */
const GUARD = `<!doctype html><script>
(hasFrames => {
  const tellLoaded = globalThis.${LOADED};
  delete globalThis.${LOADED};
  addEventListener('load', () => tellLoaded(), { once: true });
  for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection'])
    Object.defineProperty(globalThis, name, { value: undefined });
  if (hasFrames) return;
  const call = Function.prototype.call.bind(Function.prototype.call);
  const Observer = MutationObserver;
  const { observe } = Observer.prototype;
  const { attachShadow, remove } = Element.prototype;
  const watch = (root, { querySelector }) => {
    const clear = () => {
      for (let frame; (frame = call(querySelector, root, 'iframe, frame, object, embed')); ) call(remove, frame);
    };
    call(observe, new Observer(clear), root, { childList: true, subtree: true });
    return root;
  };
  const fragment = { querySelector: DocumentFragment.prototype.querySelector };
  Element.prototype.attachShadow = function (options) {
    return watch(call(attachShadow, this, { ...options, clonable: false }), fragment);
  };
  for (const object of [Element.prototype, ShadowRoot.prototype, Document])
    for (const name of Object.getOwnPropertyNames(object)) if (/HTMLUnsafe$/.test(name)) delete object[name];
  const { toLowerCase, includes, endsWith, slice } = String.prototype;
  for (const name of ['write', 'writeln']) {
    const write = Document.prototype[name];
    Document.prototype[name] = function (...texts) {
      let text = '';
      for (let at = 0; at < texts.length; at++) text += texts[at];
      const lower = call(toLowerCase, text);
      if (call(includes, lower, '${SHADOW}')) throw new TypeError('apps have no declarative shadow roots');
      // The name must not come in parts either.
      for (let length = 1; length < ${SHADOW.length}; length++)
        if (call(endsWith, lower, call(slice, '${SHADOW}', 0, length))) text += ' ';
      call(write, this, text);
    };
  }
  watch(document, { querySelector: Document.prototype.querySelector });
})(HAS_FRAMES)
</script>`;

/** The script of the frame of an app: takes the page of the app, and becomes it. */
export const FRAME_SCRIPT = `
addEventListener('message', ({ source, data, ports: [port] }) => {
  if (source !== parent) return;
  globalThis.${LOADED} = port.postMessage.bind(port, 'loaded');
  document.open();
  document.write(data);
  document.close();
}, { once: true });
`;

/**
 * The script of the sandbox. The app runs in a frame that has no origin of its own, so it can reach neither this page nor
 * what browsers store. The frame is loaded from here, not written into this page: so the app has the policy that it declared,
 * and this page has one by which the frame may go nowhere else. Messages that begin with `ui/notifications/sandbox-` are
 * between this page and its host only.
 */
export const SANDBOX_SCRIPT = `
(() => {
  const GUARD = ${JSON.stringify(GUARD).replaceAll('<', '\\u003c')};
  const OWN = 'ui/notifications/sandbox-';
  const FEATURES = { camera: 'camera', microphone: 'microphone', geolocation: 'geolocation', clipboardWrite: 'clipboard-write' };
  // An app that posts faster than this is ended here, before its messages fill the memory of the host.
  const PER_SECOND = 200;
  const BURST = 2000;
  // What an app says of itself when it has loaded comes a little later than the event, or earlier.
  const LOADED_WITHIN_MS = 5000;
  const { host, frames } = document.body.dataset;
  let view;
  let left = BURST;
  let earnedAt = performance.now();

  const tell = (name, params = {}) => parent.postMessage({ jsonrpc: '2.0', method: OWN + name, params }, host);
  const isOwn = data => typeof data?.method === 'string' && data.method.startsWith(OWN);

  function load({ html = '', permissions = {} }) {
    view?.remove();
    const frame = document.createElement('iframe');
    view = frame;
    view.title = 'App';
    view.setAttribute('sandbox', 'allow-scripts allow-forms');
    view.allow = Object.keys(FEATURES).filter(name => permissions[name]).map(name => FEATURES[name] + ' *').join('; ');
    view.src = location.search + '&frame=1';
    const { port1, port2 } = new MessageChannel();
    let wasTold = 0;
    let wasSeen = -1;
    port1.onmessage = () => wasTold++;
    view.onload = () => {
      const hasFrames = frames === 'declared';
      // The name may also stand in a script, so it becomes another name there.
      const page = GUARD.replace('HAS_FRAMES', hasFrames) + (hasFrames ? html : html.replace(/${SHADOW}/gi, '${SHADOW}_'));
      if (++wasSeen === 0) frame.contentWindow.postMessage(page, '*', [port2]);
      else setTimeout(() => view === frame && wasSeen > wasTold && end('navigation'), LOADED_WITHIN_MS);
    };
    document.body.append(view);
  }

  function end(reason) {
    view?.remove();
    view = undefined;
    tell('ended', { reason });
  }

  function mayPass() {
    const now = performance.now();
    left = Math.min(BURST, left + ((now - earnedAt) / 1000) * PER_SECOND) - 1;
    earnedAt = now;
    return left >= 0;
  }

  addEventListener('message', ({ source, origin, data }) => {
    if (source === parent && origin === host) {
      if (data?.method === OWN + 'resource-ready') load(data.params ?? {});
      else if (!isOwn(data)) view?.contentWindow?.postMessage(data, '*');
    } else if (view && source === view.contentWindow && origin === 'null' && !isOwn(data)) {
      if (mayPass()) parent.postMessage(data, host);
      else end('flood');
    }
  });

  // The policy of this page says where the frame inside it may go: nowhere but here.
  addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
    if (view && effectiveDirective === 'frame-src') end('navigation');
  });

  if (parent !== window) tell('proxy-ready');
})();
`;
