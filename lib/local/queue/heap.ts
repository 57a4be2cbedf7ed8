/**
 * A heap item. It stores its index in the heap (-1 if it is in none), so it can be removed from the middle but can be
 * in only one heap at a time.
 */
type HeapItem = { place: number };

/**
 * A binary heap. Finding the first item takes constant time, everything else logarithmic time. The order of equal items
 * is undefined.
 */
export type Heap<T extends HeapItem> = { readonly items: T[]; readonly isBefore: (a: T, b: T) => boolean };

export const createHeap = <T extends HeapItem>(isBefore: (a: T, b: T) => boolean): Heap<T> => ({ items: [], isBefore });

const put = <T extends HeapItem>({ items }: Heap<T>, item: T, place: number): void => {
  items[place] = item;
  item.place = place;
};

const rise = <T extends HeapItem>(heap: Heap<T>, item: T, from: number): number => {
  let place = from;
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap.items[above];
    if (!parent || !heap.isBefore(item, parent)) break;
    put(heap, parent, place);
    place = above;
  }
  return place;
};

const sink = <T extends HeapItem>(heap: Heap<T>, item: T, from: number): number => {
  let place = from;
  for (;;) {
    const left = heap.items[2 * place + 1];
    const right = heap.items[2 * place + 2];
    const child = left && right && heap.isBefore(right, left) ? right : left;
    if (!child || !heap.isBefore(child, item)) return place;
    const below = child.place;
    put(heap, child, place);
    place = below;
  }
};

export const addTo = <T extends HeapItem>(heap: Heap<T>, item: T): void => {
  heap.items.push(item);
  put(heap, item, rise(heap, item, heap.items.length - 1));
};

/** Removes an item from any position, even after its sort key has changed. Does nothing if the item is in no heap. */
export const takeFrom = <T extends HeapItem>(heap: Heap<T>, item: T): void => {
  const { place } = item;
  if (place < 0) return;
  item.place = -1;
  const last = heap.items.pop();
  if (!last || last === item) return;
  put(heap, last, place);
  put(heap, last, sink(heap, last, rise(heap, last, place)));
};
