import { TextInput } from '@mantine/core';
import { useTexts } from '../texts/texts.tsx';

type SearchProps = { value: string; onChange: (text: string) => void };

/** The search field above a list. */
export const Search = ({ value, onChange }: SearchProps) => {
  const { search } = useTexts();
  return (
    <TextInput
      type="search"
      aria-label={search}
      placeholder={search}
      mb="md"
      className="narrow"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
};
