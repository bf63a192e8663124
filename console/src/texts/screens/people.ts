/* People: signing in, accounts. */

export const signIn = {
  title: 'Sign in',
  email: 'E-mail address',
  password: 'Password',
  submit: 'Sign in',
  withPasskey: 'Sign in with a passkey',
  withProvider: (name: string) => `Sign in with ${name}`,
  refused: (reason: string) => `The identity provider refused: ${reason.slice(0, 100)}`,
  again: 'To the sign-in',
  ended: 'Your session has ended. Sign in again.',
  help: 'No password yet? A link signs you in: npm start prints one, or an admin makes one under Users.',
  link: 'Signing you in …',
  linkFailed: 'The link did not work',
  linkFailedHelp: 'A link works once, and for a day at most.',
  linkConfirm: 'This link signs you in on this browser. It works once.',
  linkButton: 'Sign in here',
  unreachable: 'The service does not answer',
  noGames: 'You have no role in any game yet.',
  noGamesHelp: 'An admin gives you one with npm run cli -- users grant.',
} as const;

export const account = {
  title: 'Account',
  intro: 'Who you are here, and how you sign in.',
  roles: 'Your roles',
  setPassword: 'Choose a password',
  changePassword: 'Change your password',
  current: 'Current password',
  next: 'New password',
  rule: 'At least 12 characters.',
  saved: 'The password is set. Other browsers were signed out.',
  sessions: (count: number) => `You are signed in in ${count} ${count === 1 ? 'browser' : 'browsers'}.`,
  expires: 'This session ends',
} as const;

export const passkeys = {
  title: 'Passkeys',
  intro:
    'A passkey signs you in with the lock of your device: finger, face or PIN. It needs no password, works on this host ' +
    'name only, and cannot be phished.',
  name: 'Name of the new passkey',
  namePlaceholder: 'Laptop',
  add: 'Add a passkey',
  added: 'The passkey is added. You can sign in with it.',
  used: 'Last used:',
  remove: 'Remove',
  removeNamed: (name: string) => `Remove the passkey ${name}`,
  noBrowser: 'This browser has no passkeys here: open the console by its name over https, or as http://localhost.',
} as const;
