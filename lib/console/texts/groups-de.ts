import type { groups as en } from './groups-en.ts';

export const groups: typeof en = {
  title: 'Gruppen',
  one: 'Gruppe',
  create: 'Neue Gruppe',
  explain: 'Eine Regel kann eine Gruppe als Ganzes beobachten. Ein Sensor ist in höchstens einer Gruppe.',
  empty: 'Noch keine Gruppe. Eine Gruppe fasst Sensoren zusammen, die Regeln gemeinsam beobachten, etwa eine Station.',
  sensors: 'Sensoren',
  add: 'Sensor hinzufügen',
  search: 'Name oder Hardware-Id',
  none: 'In dieser Gruppe ist kein Sensor.',
  out: 'Herausnehmen',
  moves: 'Ein Sensor einer anderen Gruppe verlässt diese, wenn Sie speichern.',
  deleteText: 'Ihre Sensoren bleiben. Eine Gruppe, die eine Regel beobachtet, lässt sich nicht löschen.',
};
