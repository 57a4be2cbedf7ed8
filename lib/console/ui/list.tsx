import { Group, Pagination, Table, Text, UnstyledButton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { Loaded } from './states.tsx';
import './list.css';

export type Column<T> = {
  head: string;
  cell: (row: T) => ReactNode;
  /** The field the API sorts by for this column. */
  sortBy?: string;
  /** Whether the column is hidden on narrow screens, such as phones. */
  isMinor?: true;
};

/** The response for a paged list: an array with one page. */
export type Paged<T> = readonly {
  total: number;
  /** False when the list has more entries than `total`. */
  isWhole?: boolean;
  page: number;
  perPage: number;
  data: readonly T[];
}[];

type Sorting = { sort?: string; onSort?: (sort: string) => void };
export type ListProps<T> = Sorting & {
  /** The list name for screen readers. */
  label: string;
  query: UseQueryResult<readonly T[]> | UseQueryResult<Paged<T>>;
  columns: readonly Column<T>[];
  rowKey: (row: T) => string | number;
  /** The group a row belongs to. A heading precedes the first row in each group. */
  groupOf?: (row: T) => { key: string; heading: ReactNode };
  /** Whether a row is shown. A long list may leave out normal rows, and say so in a line below. */
  isShown?: (row: T) => boolean;
  /** What to show below a row, spanning all columns; null for most rows. */
  footOf?: (row: T) => ReactNode;
  /** The class for a row that stands out. */
  rowClass?: (row: T) => string | undefined;
  /** Shown when the list is empty: explains what that means and what to do. */
  empty: ReactNode;
  /** Called with the page number, starting at 0. */
  onPage?: (page: number) => void;
};

const minor = (isMinor?: true) => (isMinor ? { className: 'minor' } : {});

const arrows = { ascending: ' ▲', descending: ' ▼', none: ' ↕' };
/** Returns the order of a field in a list sorted by `sort`. */
const orderOf = (field: string, sort: string | undefined): keyof typeof arrows => {
  if (sort === `asc(${field})`) return 'ascending';
  return sort === `desc(${field})` ? 'descending' : 'none';
};

const Head = ({ head, sortBy, isMinor, sort, onSort }: Omit<Column<never>, 'cell'> & Sorting) => {
  const texts = useTexts();
  if (sortBy === undefined || !onSort) return <Table.Th {...minor(isMinor)}>{head}</Table.Th>;
  const order = orderOf(sortBy, sort);
  const next = order === 'ascending' ? `desc(${sortBy})` : `asc(${sortBy})`;
  return (
    <Table.Th aria-sort={order} {...minor(isMinor)}>
      <UnstyledButton className="sort" onClick={() => onSort(next)} title={texts.sortedBy(head)}>
        {head}
        <span aria-hidden>{arrows[order]}</span>
      </UnstyledButton>
    </Table.Th>
  );
};

type RowsProps<T> = Omit<ListProps<T>, 'query' | 'isShown' | 'onPage' | 'empty'> & { rows: readonly T[] };
const Rows = <T,>({ label, rows, columns, rowKey, groupOf, footOf, rowClass, ...sorting }: RowsProps<T>) => (
  <Table.ScrollContainer minWidth={0} type="native" className="rows-container">
    <Table aria-label={label} highlightOnHover verticalSpacing={6} fz="sm" className="rows">
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ cell: _, ...column }) => (
            <Head key={column.head} {...column} {...sorting} />
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row, at) => {
          const group = groupOf?.(row);
          const before = rows[at - 1];
          const foot = footOf?.(row);
          return (
            <Fragment key={rowKey(row)}>
              {group && group.key !== (before && groupOf?.(before).key) && (
                <Table.Tr className="group">
                  <Table.Th colSpan={columns.length} scope="rowgroup">
                    {group.heading}
                  </Table.Th>
                </Table.Tr>
              )}
              <Table.Tr className={rowClass?.(row)}>
                {columns.map(({ head, cell, isMinor }) => (
                  <Table.Td key={head} data-label={head} {...minor(isMinor)}>
                    {cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
              {foot && (
                <Table.Tr className="group">
                  <Table.Td colSpan={columns.length}>{foot}</Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          );
        })}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

type PagerProps = Omit<Paged<never>[number], 'data'> & { onPage: (page: number) => void };
const Pager = ({ total, isWhole = true, page, perPage, onPage }: PagerProps) => {
  const texts = useTexts();
  const count = Math.ceil(total / perPage);
  return (
    <Group justify="space-between" mt="md">
      <Text size="sm">{isWhole ? texts.total(total) : texts.atLeast(total)}</Text>
      {count > 1 && (
        <Pagination
          total={count}
          value={page + 1}
          onChange={(next) => onPage(next - 1)}
          siblings={1}
          getItemProps={(at) => ({ 'aria-label': texts.pageOf(at, count) })}
          getControlProps={(control) => ({ 'aria-label': control === 'previous' ? texts.previous : texts.next })}
        />
      )}
    </Group>
  );
};

const isPaged = <T,>(data: readonly T[] | Paged<T>): data is Paged<T> => {
  const [first] = data;
  return typeof first === 'object' && first !== null && 'perPage' in first && 'data' in first;
};

/** A list in all of its states: loading, failed, empty, or with rows and pages. */
export const List = <T,>({ query, empty, isShown = () => true, onPage, ...rest }: ListProps<T>) => (
  <Loaded query={query as UseQueryResult<readonly T[] | Paged<T>>}>
    {(data) => {
      const page = isPaged(data) ? data[0] : undefined;
      const rows = page ? page.data : (data as readonly T[]);
      if (rows.length === 0) return <Text className="empty">{empty}</Text>;
      return (
        <>
          <Rows rows={rows.filter(isShown)} {...rest} />
          {page && onPage && <Pager {...page} onPage={onPage} />}
        </>
      );
    }}
  </Loaded>
);
