import type { setup as en } from './setup-en.ts';

export const setup: typeof en = {
  chooseCustomer: 'Wählen Sie oben einen Kunden, um zu sehen, was ihm gehört.',
  noCustomer: 'Es gibt noch keinen Kunden: das Haus, zu dem Sensoren, Regeln und Benutzer gehören.',
  ofNoCustomer:
    'Sie gehören zu keinem Kunden; darum gibt es nichts zu sehen. Ein Systemverwalter kann Sie einem zuordnen.',
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
  language: 'Sprache',
  languages: { en: 'English', de: 'Deutsch' },
};
