import { expect, test } from 'vitest';
import { addTo, createHeap, type Heap, takeFrom } from '#lib/local/queue/heap.ts';

type Item = { key: number; place: number };
const heapOf = (keys: readonly number[]) => {
  const heap = createHeap<Item>((a, b) => a.key < b.key);
  const items = keys.map((key): Item => ({ key, place: -1 }));
  for (const item of items) addTo(heap, item);
  return { heap, items };
};
/** Takes the first item until none is left. Returns the keys. Throughout, each item knows its position. */
const drained = (heap: Heap<Item>): number[] => {
  const keys: number[] = [];
  for (let first = heap.items[0]; first; first = heap.items[0]) {
    expect(heap.items.map(({ place }) => place)).toEqual([...heap.items.keys()]);
    keys.push(first.key);
    takeFrom(heap, first);
    expect(first.place).toBe(-1);
  }
  return keys;
};
const sorted = (keys: readonly number[]) => keys.toSorted((a, b) => a - b);
/** Different orders for the numbers 0 to 12: ascending, descending, and shuffled by multiplication. */
const orders = [1, 2, 4, 5, 7, 11, 12].map((factor) => Array.from({ length: 13 }, (_, at) => (at * factor) % 13));

test.each(orders.map((order) => [order]))('a heap returns items in order, however they were added: %j', (order) => {
  expect(drained(heapOf(order).heap)).toEqual(sorted(order));
});

test('an item can be removed from anywhere, and the rest stays in order', () => {
  for (const order of orders)
    for (const at of order.keys()) {
      const { heap, items } = heapOf(order);
      const item = items[at] ?? expect.unreachable();
      takeFrom(heap, item);
      expect(item.place).toBe(-1);
      expect(drained(heap)).toEqual(sorted(order.filter((key) => key !== item.key)));
    }
});

test('an item with a changed key can be removed and added again', () => {
  for (const key of [-1, 6.5, 99])
    for (const order of orders)
      for (const at of order.keys()) {
        const { heap, items } = heapOf(order);
        const item = items[at] ?? expect.unreachable();
        const before = item.key;
        item.key = key;
        takeFrom(heap, item);
        addTo(heap, item);
        expect(drained(heap)).toEqual(sorted([...order.filter((other) => other !== before), key]));
      }
});

test('removing an item that is not in the heap changes nothing', () => {
  const { heap, items } = heapOf([3, 1, 2]);
  takeFrom(heap, { key: 0, place: -1 });
  const [first = expect.unreachable()] = items;
  takeFrom(heap, first);
  takeFrom(heap, first);
  expect(drained(heap)).toEqual([1, 2]);
});
