/**
 * How many rooms per group a long list shows. Rooms that are not normal are always shown, even if they exceed this
 * number.
 */
const MAX_SHOWN = 8;
/** The minimum number of rooms to hide. A line in place of fewer rooms would not save any space. */
const MIN_HIDDEN = 3;

/** Returns the rooms in a group to show in a list, and the normal rooms to leave out. Both keep their order. */
export const collapsed = <T>(rooms: readonly T[], isNormal: (room: T) => boolean): { shown: T[]; hidden: T[] } => {
  const normal = rooms.filter(isNormal);
  const hidden = normal.slice(Math.max(0, MAX_SHOWN - (rooms.length - normal.length)));
  if (hidden.length < MIN_HIDDEN) return { shown: [...rooms], hidden: [] };
  return { shown: rooms.filter((room) => !hidden.includes(room)), hidden };
};
