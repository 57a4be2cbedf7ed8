import type { bots as en } from './bots-en.ts';

export const bots: typeof en = {
  title: 'Bots',
  create: 'Neuer Bot',
  explain: 'Ein Bot ist ein Konto ohne Anmeldung: Regeln melden ihm über seine Webhooks, in seiner Sprache.',
  empty: 'Noch kein Bot. Eine Regel meldet ihren Empfängern über Webhooks von Bots.',
  made: 'Der Bot ist angelegt. Geben Sie ihm als Nächstes einen Webhook.',
  deleteText: 'Seine Webhooks gehen mit ihm. Regeln, die ihn nennen, melden ihren anderen Empfängern.',
  rename: 'Ändern',
};
