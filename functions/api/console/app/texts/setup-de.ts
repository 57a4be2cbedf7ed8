import type { setup as en } from './setup-en.ts';

export const setup: typeof en = {
  chooseCustomer: 'Wählen Sie oben einen Kunden, um zu sehen, was ihm gehört.',
  shownOnce: 'Kopieren Sie es jetzt: Es wird nur dieses eine Mal gezeigt.',
  name: 'Name',
  changed: 'Geändert',
  created: 'Angelegt',
  saved: 'Gespeichert.',
  deleted: 'Gelöscht.',
  deleteTitle: (name) => `„${name}“ löschen?`,
  state: 'Zustand',
  actions: 'Aktionen',
  on: 'An',
  off: 'Aus',
  readOnly: 'Sie können das ansehen, aber nicht ändern.',
  language: 'Sprache',
  languages: { en: 'English', de: 'Deutsch' },
};
