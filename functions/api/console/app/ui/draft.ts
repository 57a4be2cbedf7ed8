import { useState } from 'react';

/** What somebody is about to save: begins as what is there, and is changed field by field. */
export const useDraft = <T extends object>(initial: T): readonly [T, (change: Partial<T>) => void] => {
  const [draft, setDraft] = useState(initial);
  return [draft, (change) => setDraft((before) => ({ ...before, ...change }))];
};
