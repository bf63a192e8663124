/** Characters that an address may not hold: white space, and what separates addresses or quotes them. */
const FORBIDDEN = /[\s<>"(),;:\\[\]]/;

/**
 * Whether a text is an e-mail address: something before the @, a dotted name after it. It catches slips of typing and
 * does not refuse exotic addresses that are legal. Linear in the text.
 */
export function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  const lastDot = text.lastIndexOf('.');
  return (
    at > 0 && at === text.lastIndexOf('@') && lastDot > at + 1 && lastDot < text.length - 1 && !FORBIDDEN.test(text)
  );
}
