/** The nonce of this page's styles. It is read once: browsers hide it afterwards. */
export const NONCE = document.querySelector('meta[property="csp-nonce"]')?.getAttribute('content') ?? '';
