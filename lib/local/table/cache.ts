/** An entry's overhead (bytes) beyond its value. */
const ENTRY_BYTES = 200;

/**
 * Keeps values in memory, by key. When the recent generation exceeds `maxBytes`, it replaces the older generation,
 * whose values are dropped unless they were used in the meantime. At most twice `maxBytes` is kept.
 */
export const createCache = <V>(maxBytes: number) => {
  let recent = new Map<string, { value: V; bytes: number }>();
  let older = new Map<string, { value: V; bytes: number }>();
  let bytes = 0;
  const remove = (key: string): void => {
    bytes -= recent.get(key)?.bytes ?? 0;
    recent.delete(key);
    older.delete(key);
  };
  const set = (key: string, value: V, size: number): void => {
    remove(key);
    recent.set(key, { value, bytes: size + ENTRY_BYTES });
    bytes += size + ENTRY_BYTES;
    if (bytes <= maxBytes) return;
    older = recent;
    recent = new Map();
    bytes = 0;
  };
  return {
    /** Returns undefined if a key's value is not known. */
    get: (key: string): V | undefined => {
      const found = recent.get(key);
      if (found) return found.value;
      const old = older.get(key);
      if (!old) return undefined;
      set(key, old.value, old.bytes - ENTRY_BYTES);
      return old.value;
    },
    set,
    remove,
    clear: (): void => {
      recent.clear();
      older.clear();
      bytes = 0;
    },
  };
};
