/** Characters that an address must not contain: white space, and separators and quotes of address lists. */
const FORBIDDEN = /[\s<>"(),;:\\[\]]/;

/**
 * Whether a text is an e-mail address: any text before the @ and a dotted name after it. Detects typos and accepts
 * unusual but legal addresses. Takes time linear in the text's length.
 */
export function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  const lastDot = text.lastIndexOf('.');
  return (
    at > 0 && at === text.lastIndexOf('@') && lastDot > at + 1 && lastDot < text.length - 1 && !FORBIDDEN.test(text)
  );
}
