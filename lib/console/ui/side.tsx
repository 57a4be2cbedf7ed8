import { XMarkIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Drawer } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.tsx';
import { Name } from './name.tsx';

/** Whether there is space for a panel beside a list. */
export const useIsWide = (): boolean => useMediaQuery('(min-width: 74rem)', true, { getInitialValueInEffect: false });

type SideProps = {
  /** The panel name for screen readers. */
  label: string;
  title: string;
  onClose: () => void;
  children: ReactNode;
};

/** The details for a list entry, beside the list if there is space, otherwise over it. */
export const Side = ({ label, title, onClose, children }: SideProps) => {
  const { close } = useTexts();
  const isWide = useIsWide();
  const content = (
    <>
      <div className="panel-head">
        <h2>
          <Name>{title}</Name>
        </h2>
        <ActionIcon variant="subtle" size="lg" onClick={onClose} aria-label={close}>
          <XMarkIcon className="icon" />
        </ActionIcon>
      </div>
      {children}
    </>
  );
  if (isWide)
    return (
      <aside className="panel side-panel" aria-label={label}>
        {content}
      </aside>
    );
  return (
    <Drawer.Root opened onClose={onClose} position="right" size="sm" lockScroll={false}>
      <Drawer.Overlay />
      <Drawer.Content aria-label={label}>
        <Drawer.Body>{content}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
};
