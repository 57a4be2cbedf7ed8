import type { floor as en } from './floor-en.ts';

/** German texts for floor plans. */
export const floor: typeof en = {
  title: 'Grundriss',
  groups: 'Etagen',
  noGroups: 'Noch keine Gruppen. Die Räume einer Gruppe, etwa einer Station, haben einen gemeinsamen Grundriss.',
  toGroups: 'Zu den Gruppen',
  empty: 'Auf diesem Grundriss liegt noch kein Raum.',
  unplaced: (count) =>
    count === 1
      ? '1 Raum dieser Gruppe ist nicht auf dem Grundriss.'
      : `${count} Räume dieser Gruppe sind nicht auf dem Grundriss.`,
  notWatched: 'Nicht überwacht',
  legend: 'Was die Farben bedeuten',
  meanings: {
    open: 'Niemand geht hin',
    mine: 'Sie gehen hin',
    theirs: 'Jemand geht hin',
    suspected: 'Sturzverdacht',
    blind: 'Offline oder nicht überwacht',
  },
  plan: (group) => `Grundriss ${group}`,
  arrange: 'Anordnen',
  save: 'Grundriss speichern',
  discard: 'Änderungen verwerfen',
  saved: 'Grundriss gespeichert.',
  hint: 'Ziehen Sie Räume an ihren Platz. Mit der Tastatur: Pfeiltasten verschieben den ausgewählten Raum, R dreht ihn, Entf nimmt ihn vom Grundriss.',
  size: 'Größe des Grundrisses in m',
  width: 'Breite',
  height: 'Höhe',
  room: 'Ausgewählter Raum',
  x: 'Vom linken Rand (m)',
  y: 'Vom oberen Rand (m)',
  rotation: 'Drehung (Grad, im Uhrzeigersinn)',
  turn: 'Um 90° drehen',
  takeOff: 'Vom Grundriss nehmen',
  off: 'Nicht auf dem Grundriss',
  allOn: 'Alle Räume der Gruppe sind auf dem Grundriss.',
  place: (name) => `${name} platzieren`,
  placeAll: 'Alle platzieren',
  at: (x, y) => `${x} m von links, ${y} m von oben`,
  noMembers: 'Diese Gruppe hat keine Räume.',
};
