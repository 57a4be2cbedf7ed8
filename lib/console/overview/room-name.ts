/** The maximum length (characters) of a room number. */
const MAX_NUMBER = 5;
const ROOM = /^(room|zimmer|raum)$/iu;

/** A sensor name in parts: the room number, the word for "room", and the rest. */
type RoomName = { number: string | null; word: string | null; rest: string };

const bare = (word: string): string => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');

/**
 * Finds the room number in a sensor name: the first word with a digit and at most five characters. Without such a word,
 * there is no number.
 */
export const roomNameOf = (name: string): RoomName => {
  const words = name.split(/\s+/u).filter((word) => word !== '');
  const at = words.findIndex((word) => /\p{N}/u.test(word) && bare(word).length <= MAX_NUMBER);
  if (at < 0) return { number: null, word: null, rest: name };
  const wordAt = words.findIndex((word) => ROOM.test(bare(word)));
  const others = words.filter((_, index) => index !== at && index !== wordAt);
  return {
    number: bare(words[at] ?? ''),
    word: wordAt < 0 ? null : bare(words[wordAt] ?? ''),
    rest: others.join(' '),
  };
};

/** Returns a short name for a room in a list: the number, or else the whole name. */
export const shortName = (name: string): string => roomNameOf(name).number ?? name;
