import type { Key } from '../key.ts';
import { items } from '../table.ts';
import type { erasureRules, ItemKind, Verdict } from './erasure-rules.ts';
import { placesOf, placesOfItem } from './subject-places.ts';
import type { Lead, StoredItem, SubjectPlace, SubjectScope, subjectReads } from './subjects.ts';

type Reads = Pick<ReturnType<typeof subjectReads>, 'pages' | 'get'>;
/** A subject's item, where it was found, and what an erasure does with it. */
export type SubjectItem = { kind: ItemKind; item: StoredItem; verdict: Exclude<Verdict, 'keep'>; place: SubjectPlace };

const kinds = Object.entries(items) as [ItemKind, (typeof items)[ItemKind]][];
export const kindOf = (item: Key): ItemKind | null => kinds.find(([, { read }]) => read(item) !== null)?.[0] ?? null;

/** Yields the subject's items that can be found only through the given items. */
async function* itemsUnder(
  reads: Reads,
  who: SubjectScope,
  parents: readonly StoredItem[],
  judge: (place: SubjectPlace, item: StoredItem) => SubjectItem[],
): AsyncGenerator<SubjectItem[]> {
  for (const item of parents)
    for (const place of placesOfItem(item, who))
      for await (const page of reads.pages(place)) yield page.flatMap((row) => judge(place, row));
}

/**
 * Yields all of a subject's items, page by page. Items found only through another item come before that item. Throws if
 * an item has an undeclared kind, because it is unknown whose data the item holds.
 */
export async function* subjectItems(
  reads: Reads,
  who: SubjectScope,
  leads: readonly Lead[],
  belonging: typeof erasureRules,
): AsyncGenerator<SubjectItem[]> {
  const judge = (place: SubjectPlace, item: StoredItem): SubjectItem[] => {
    const kind = kindOf(item);
    if (!kind) throw new Error(`unknown kind of item: ${item.pk.split('#')[0]}`);
    const verdict = belonging[kind][who.subject.kind]?.(item, who) ?? 'keep';
    return verdict === 'keep' ? [] : [{ kind, item, verdict, place }];
  };
  for await (const place of placesOf(reads, who, leads)) {
    for await (const page of reads.pages(place)) {
      const judged = page.flatMap((item) => judge(place, item));
      const ofSubject = new Set(judged.map(({ item }) => item));
      // A user's older feedback may belong to a hit that contains nothing else about the user.
      const mayLead = (item: StoredItem) =>
        ofSubject.has(item) || (who.subject.kind === 'user' && items.ruleHit.read(item) !== null);
      yield* itemsUnder(reads, who, page.filter(mayLead), judge);
      yield judged;
    }
  }
}
