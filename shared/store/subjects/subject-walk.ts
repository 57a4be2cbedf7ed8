import type { Key } from '../key.ts';
import { items } from '../table.ts';
import type { belongings, ItemKind, Verdict } from './subject-items.ts';
import { placesOf, placesUnder } from './subject-places.ts';
import type { Found, Lead, Place, subjectReads, Who } from './subjects.ts';

type Reads = Pick<ReturnType<typeof subjectReads>, 'pages' | 'get'>;
/** An item of a subject, the place where it was found, and what an erasure leaves of it. */
export type Met = { kind: ItemKind; item: Found; verdict: Exclude<Verdict, 'keep'>; place: Place };

const kinds = Object.entries(items) as [ItemKind, (typeof items)[ItemKind]][];
export const kindOf = (item: Key): ItemKind | null => kinds.find(([, { read }]) => read(item) !== null)?.[0] ?? null;

/** Finds what only these items lead to. */
async function* below(
  reads: Reads,
  who: Who,
  above: readonly Found[],
  meet: (place: Place, item: Found) => Met[],
): AsyncGenerator<Met[]> {
  for (const item of above)
    for (const place of placesUnder(item, who))
      for await (const page of reads.pages(place)) yield page.flatMap((row) => meet(place, row));
}

/**
 * Meets every item of a subject, page by page; what is found by an item alone comes on a page before it. An item of a kind
 * that nobody declared is an error: whose it is has to be decided first.
 */
export async function* walk(
  reads: Reads,
  who: Who,
  leads: readonly Lead[],
  belonging: typeof belongings,
): AsyncGenerator<Met[]> {
  const meet = (place: Place, item: Found): Met[] => {
    const kind = kindOf(item);
    if (!kind) throw new Error(`an item of no known kind: ${item.pk.split('#')[0]}`);
    const verdict = belonging[kind][who.subject.kind]?.(item, who) ?? 'keep';
    return verdict === 'keep' ? [] : [{ kind, item, verdict, place }];
  };
  for await (const place of placesOf(reads, who, leads)) {
    for await (const page of reads.pages(place)) {
      const met = page.flatMap((item) => meet(place, item));
      const own = new Set(met.map(({ item }) => item));
      // An older feedback of a user may be under a hit that has nothing else of the user.
      const mayLead = (item: Found) =>
        own.has(item) || (who.subject.kind === 'user' && items.ruleHit.read(item) !== null);
      yield* below(reads, who, page.filter(mayLead), meet);
      yield met;
    }
  }
}
