import { firstWhere } from '#shared/domain/first-where.ts';
import type { HitItem } from './hit-item.ts';
import type { HitLine } from './hit-line.ts';
import { type LateChange, SOON } from './late-change.ts';

/** So many hits are read at a time besides those of the page. */
const FEW = 8;

/** A hit by its last change; one that changed late is read only when it is wanted. */
type Changed = { id: number; updateDate: number; hit?: HitItem };
/** `ties`: 1 to have the lower of two ids first when the date is the same, -1 the higher. */
type Wanted = { offset: number; length: number; ties: 1 | -1 };

/** The hits of a line that did not change late, read from the newest wanted to ever older ones. */
const readDown = (line: HitLine, late: ReadonlySet<number>, from: number) => {
  const found: HitItem[] = [];
  let low = from;
  let made = Number.POSITIVE_INFINITY;
  return {
    found,
    /** No hit that is not read yet changed at this time (ms) or later. */
    isBefore: (time: number) => low === 0 || made + SOON < time,
    more: async (count: number): Promise<void> => {
      const hits = await line.hits(Math.max(0, low - count), low);
      [low, made] = [Math.max(0, low - count), hits[0]?.createDate ?? made];
      found.push(...hits.filter(({ id }) => !late.has(id)));
    },
  };
};

/** Where to begin to read: all hits from the position on, and no others, changed at the time (ms) or later, but for late ones. */
type Start = { position: number; time: number; id: number };

/** The first position of which so many hits or fewer changed at the time when its hit was made, or later. */
const searchStart = async (line: HitLine, late: readonly LateChange[], offset: number): Promise<Start> => {
  const isBehind = async (position: number): Promise<boolean> => {
    const { id, createDate } = await line.at(position);
    const moved =
      late.filter((change) => change.updateDate >= createDate).length - late.filter((change) => change.id >= id).length;
    return line.size - position + moved <= offset;
  };
  const low = line.size - offset - late.length;
  const high = line.size - offset + late.length;
  const first = await firstWhere(Math.max(0, low), Math.max(0, Math.min(line.size, high)), isBehind);
  if (first === line.size) return { position: first, time: Number.POSITIVE_INFINITY, id: Number.POSITIVE_INFINITY };
  const edge = (await line.at(first)).createDate + SOON;
  // What was made before this hit may have changed until then.
  for (let position = first + 1; position < line.size; position += FEW) {
    const next = await line.hits(position, position + FEW);
    const at = next.findIndex(({ createDate }) => createDate > edge);
    const found = next[at];
    if (found) return { position: position + at, time: found.createDate, id: found.id };
  }
  return { position: line.size, time: Number.POSITIVE_INFINITY, id: Number.POSITIVE_INFINITY };
};

/** How many hits of a line come before one in the order of the last change, the newest first. */
export const placeOfChange = async (
  line: HitLine,
  late: readonly LateChange[],
  { id, updateDate }: Pick<HitItem, 'id' | 'updateDate'>,
  ties: Wanted['ties'],
): Promise<number> => {
  const position = await firstWhere(0, line.size, async (at) => (await line.at(at)).createDate > updateDate);
  const start = position < line.size ? await line.at(position) : { id: Number.POSITIVE_INFINITY };
  const reading = readDown(line, new Set(late.map((change) => change.id)), position);
  while (!reading.isBefore(updateDate)) await reading.more(FEW);
  const isBefore = (hit: Pick<HitItem, 'id' | 'updateDate'>): boolean =>
    hit.updateDate > updateDate || (hit.updateDate === updateDate && ties * (hit.id - id) < 0);
  const above = line.size - position - late.filter((change) => change.id >= start.id).length;
  return above + [...reading.found, ...late].filter(isBefore).length;
};

/**
 * A part of a line in the order of the last change, the newest first. A hit that did not change late changed within
 * SOON after it was made: around the part only so much more is read. `late`: those of this line.
 */
export const byChange = async (
  line: HitLine,
  late: readonly LateChange[],
  { offset, length, ties }: Wanted,
): Promise<Changed[]> => {
  if (length <= 0) return [];
  const start = await searchStart(line, late, offset);
  const reading = readDown(line, new Set(late.map(({ id }) => id)), start.position);
  const above = line.size - start.position - late.filter(({ id }) => id >= start.id).length;
  for (let count = length + FEW; ; count = FEW) {
    await reading.more(count);
    const all: Changed[] = [
      ...reading.found.map((hit) => ({ id: hit.id, updateDate: hit.updateDate, hit })),
      ...late,
    ].sort((a, b) => b.updateDate - a.updateDate || ties * (a.id - b.id));
    const skipped = offset - above;
    const part = all.slice(skipped, skipped + length);
    const last = part.at(-1)?.updateDate ?? 0;
    if (reading.isBefore(part.length === length ? last : 0)) return part;
  }
};
