import { firstWhere } from '#shared/domain/first-where.ts';
import { orderDateOf } from '#shared/domain/rule/hit-position.ts';
import type { HitItem } from './hit-item.ts';
import type { HitSequence } from './hit-sequence.ts';
import { type LateChange, SOON_MS } from './late-change.ts';

/** The number of hits read at once, in addition to those on the page. */
const CHUNK = 8;

/** A hit and the time it last changed. A hit that changed late is read only if needed. */
type ChangedHit = { id: number; updateDate: number; hit?: HitItem };
/** `ties`: 1 to sort the lower of two ids first if the dates are equal, -1 for the higher. */
type Slice = { offset: number; length: number; ties: 1 | -1 };

/** Reads the hits that did not change late, from position `from` toward older ones. */
const readBackwards = (line: HitSequence, late: ReadonlySet<number>, from: number) => {
  const found: HitItem[] = [];
  let low = from;
  let oldestRead = Number.POSITIVE_INFINITY;
  return {
    found,
    /** Whether all hits still to be read changed before this time (ms). */
    isBefore: (time: number) => low === 0 || oldestRead + SOON_MS < time,
    more: async (count: number): Promise<void> => {
      const hits = await line.hits(Math.max(0, low - count), low);
      low = Math.max(0, low - count);
      oldestRead = hits[0] ? orderDateOf(hits[0]) : oldestRead;
      found.push(...hits.filter(({ id }) => !late.has(id)));
    },
  };
};

/**
 * Where to start reading. Apart from late changes, the hits from `position` on are exactly those changed at `time` (ms)
 * or later.
 */
type Start = { position: number; time: number; id: number };

/**
 * Returns the first position whose hit was created late enough that at most `offset` hits changed at that time or
 * later.
 */
const searchStart = async (line: HitSequence, late: readonly LateChange[], offset: number): Promise<Start> => {
  const isBehind = async (position: number): Promise<boolean> => {
    const { id, createDate } = await line.at(position);
    const movedUp =
      late.filter((change) => change.updateDate >= createDate).length - late.filter((change) => change.id >= id).length;
    return line.size - position + movedUp <= offset;
  };
  const low = line.size - offset - late.length;
  const high = line.size - offset + late.length;
  const first = await firstWhere(Math.max(0, low), Math.max(0, Math.min(line.size, high)), isBehind);
  if (first === line.size) return { position: first, time: Number.POSITIVE_INFINITY, id: Number.POSITIVE_INFINITY };
  const edge = (await line.at(first)).createDate + SOON_MS;
  // Hits before position `first` may have changed as late as `edge`.
  for (let position = first + 1; position < line.size; position += CHUNK) {
    const next = await line.hits(position, position + CHUNK);
    const at = next.findIndex((hit) => orderDateOf(hit) > edge);
    const found = next[at];
    if (found) return { position: position + at, time: orderDateOf(found), id: found.id };
  }
  return { position: line.size, time: Number.POSITIVE_INFINITY, id: Number.POSITIVE_INFINITY };
};

/** Returns the number of hits that precede a given hit when ordered by last change, newest first. */
export const rankByChange = async (
  line: HitSequence,
  late: readonly LateChange[],
  { id, updateDate }: Pick<HitItem, 'id' | 'updateDate'>,
  ties: Slice['ties'],
): Promise<number> => {
  const position = await firstWhere(0, line.size, async (at) => (await line.at(at)).createDate > updateDate);
  const start = position < line.size ? await line.at(position) : { id: Number.POSITIVE_INFINITY };
  const reading = readBackwards(line, new Set(late.map((change) => change.id)), position);
  while (!reading.isBefore(updateDate)) await reading.more(CHUNK);
  const isBefore = (hit: Pick<HitItem, 'id' | 'updateDate'>): boolean =>
    hit.updateDate > updateDate || (hit.updateDate === updateDate && ties * (hit.id - id) < 0);
  const above = line.size - position - late.filter((change) => change.id >= start.id).length;
  return above + [...reading.found, ...late].filter(isBefore).length;
};

/**
 * Returns a slice of hits ordered by last change, newest first. Hits without a late change last changed within
 * `SOON_MS` of their creation, so only hits around the slice have to be read. `late`: the late changes to these hits.
 */
export const sliceByChange = async (
  line: HitSequence,
  late: readonly LateChange[],
  { offset, length, ties }: Slice,
): Promise<ChangedHit[]> => {
  if (length <= 0) return [];
  const start = await searchStart(line, late, offset);
  const reading = readBackwards(line, new Set(late.map(({ id }) => id)), start.position);
  const above = line.size - start.position - late.filter(({ id }) => id >= start.id).length;
  for (let count = length + CHUNK; ; count = CHUNK) {
    await reading.more(count);
    const changed: ChangedHit[] = [
      ...reading.found.map((hit) => ({ id: hit.id, updateDate: hit.updateDate, hit })),
      ...late,
    ].sort((a, b) => b.updateDate - a.updateDate || ties * (a.id - b.id));
    const skipped = offset - above;
    const slice = changed.slice(skipped, skipped + length);
    const last = slice.at(-1)?.updateDate ?? 0;
    if (reading.isBefore(slice.length === length ? last : 0)) return slice;
  }
};
