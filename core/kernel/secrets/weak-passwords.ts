/*
 * Passwords that are guessed first. There are no rules about the kinds of characters (NIST SP 800-63B, 3.1.1.2): a
 * password is refused if it is little else than well-known words or the owner's address, or a pattern.
 */

/** Words that the lists of leaked passwords are made of. */
const WORDS: ReadonlySet<string> = new Set(
  (
    'password passwort passwd pass word pwd qwerty qwertyuiop qwertz azerty asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx ' +
    'qazwsxedc abc abcd admin administrator root superuser login welcome letmein changeme changeit default secret ' +
    'master access monkey dragon football baseball basketball superman batman spiderman pokemon starwars princess ' +
    'sunshine iloveyou ilove loveyou lovely flower shadow michael jordan jennifer charlie jessica ashley daniel thomas ' +
    'hunter killer trustno whatever freedom computer internet samsung google facebook liverpool chelsea arsenal ' +
    'barcelona mustang corvette mercedes hello helloworld test testing tester guest user demo summer winter spring ' +
    'autumn sommer january february march april june july august september october november december monday tuesday ' +
    'wednesday thursday friday saturday sunday player analytics console game gamer gaming minecraft fortnite roblox'
  ).split(' '),
);

/** Rows of keyboards and the alphabet, in which a password walks. */
const WALKS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'qwertzuiop',
  'azertyuiop',
];
/** Columns of a keyboard, which alternate digits and letters. */
const ZIGZAGS = ['1q2w3e4r5t6y7u8i9o0p', '1qaz2wsx3edc4rfv5tgb6yhn'];
const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};
/** Letters that must be left beside well-known parts: fewer are tried in no time. */
const LEAST_OWN = 5;
const LEAST_DIFFERENT = 5;

/** Why a password is easy to guess; undefined: it is not. */
export function weaknessOf(password: string, email: string): string | undefined {
  const text = password.normalize('NFKC').toLowerCase();
  if (new Set(text).size < LEAST_DIFFERENT) return `has fewer than ${LEAST_DIFFERENT} different characters`;
  if (isRepeated(text)) return 'repeats itself';
  if (stepsOf(text) > text.length / 2) return 'follows the keyboard or the alphabet';
  const [local = '', domain = ''] = email.split('@');
  const parts = [email, ...email.split(/[@.+_-]/u), local, domain].filter((part) => part.length > 2);
  if (parts.some((part) => text.includes(part)) && leftOf(text, new Set(parts)) < LEAST_OWN)
    return 'is little else than your e-mail address';
  const plain = Array.from(text, (letter) => LEET[letter] ?? letter).join('');
  const isKnown = leftOf(text, WORDS) < LEAST_OWN || leftOf(plain, WORDS) < LEAST_OWN / 2;
  return isKnown ? 'is one of the most common passwords' : undefined;
}

/** Whether a text is a shorter one again and again. */
const isRepeated = (text: string): boolean => (text + text).indexOf(text, 1) <= text.length / 2;

/** How many characters follow their neighbour in one of the walks, forwards or backwards. */
function stepsOf(text: string): number {
  let steps = 0;
  for (let at = 1; at < text.length; at += 1) {
    const [first = '', second = ''] = [text[at - 1], text[at]];
    const pair = first + second;
    const back = second + first;
    const follows = (walk: string): boolean => walk.includes(pair) || walk.includes(back);
    if (first === second || WALKS.some(follows) || ZIGZAGS.some(follows)) steps += 1;
  }
  return steps;
}

const isLetter = /\p{L}/u;
const isDigit = /\d/;
/** Digits are tried before letters, and signs beside words first. */
const weightOf = (character: string): number => (isLetter.test(character) ? 1 : isDigit.test(character) ? 0.4 : 0);

/** Letters that belong to none of the words, when the longest words are taken away from the left. */
function leftOf(text: string, words: ReadonlySet<string>): number {
  const longest = Math.max(...[...words].map(({ length }) => length));
  let left = 0;
  let at = 0;
  while (at < text.length) {
    let length = Math.min(longest, text.length - at);
    while (length > 2 && !words.has(text.slice(at, at + length))) length -= 1;
    const isWord = length > 2;
    if (!isWord) left += weightOf(text[at] ?? '');
    at += isWord ? length : 1;
  }
  return left;
}
