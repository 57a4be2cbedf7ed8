/**
 * The parts of a sensor name: `Room 106, south wing` has the word `Room`, the number `106` and the rest `south wing`.
 */
type RoomName = { word: string; number: string; rest: string };

const MAX_NUMBER_LENGTH = 5;
const SEPARATORS = /^[\s,;:–-]+|[\s,;:–-]+$/g;

/** Splits a name so that the room number can be shown large. The number is empty if the name has none. */
export const roomNameOf = (name: string): RoomName => {
  const words = name.split(/[\s,;:]+/);
  const number = words.find((word) => /\d/.test(word) && [...word].length <= MAX_NUMBER_LENGTH) ?? '';
  if (number === '') return { word: '', number, rest: name };
  const word = words.find((candidate) => /^(room|zimmer|raum)$/i.test(candidate)) ?? '';
  const rest = name.replace(number, '').replace(word, '').replace(SEPARATORS, '').replaceAll(/\s+/g, ' ');
  return { word, number, rest };
};
