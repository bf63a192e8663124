/** The nonce of this page's styles. It is read once: browsers hide it afterwards. */
export const NONCE = document.querySelector('meta[property="csp-nonce"]')?.getAttribute('content') ?? '';

// Where `get-nonce` looks, which dialogs use for the style that locks the page behind them.
Object.assign(globalThis, { __webpack_nonce__: NONCE });
