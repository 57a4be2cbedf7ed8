import { MagnifyingGlassIcon } from '@heroicons/react/24/outline';
import { createContext, use } from 'react';
import { useTexts } from '../texts/texts.tsx';
import './search.css';

/** Provides a function that opens the search. */
export const OpenSearch = createContext(() => {});

const keys = /mac|iphone|ipad/iu.test(navigator.platform) ? '⌘ K' : 'Ctrl K';

export const SearchButton = () => {
  const { search } = useTexts();
  return (
    <button
      type="button"
      className="quiet find"
      onClick={use(OpenSearch)}
      aria-keyshortcuts="Control+K Meta+K"
      title={search}
    >
      <MagnifyingGlassIcon className="icon" />
      <span>{search}</span>
      <kbd aria-hidden>{keys}</kbd>
    </button>
  );
};
