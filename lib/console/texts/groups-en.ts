export const groups = {
  title: 'Groups',
  one: 'Group',
  create: 'New group',
  explain: 'A rule can watch a group as one. A sensor is in one group at most.',
  empty: 'No group yet. A group brings sensors together that rules watch as one, such as a ward.',
  sensors: 'Sensors',
  add: 'Add a sensor',
  search: 'Name or hardware id',
  none: 'No sensor is in this group.',
  out: 'Take out',
  moves: 'A sensor of another group leaves that one when you save.',
  deleteText: 'Its sensors stay. A group that a rule watches cannot be deleted.',
};
