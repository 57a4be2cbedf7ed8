import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../texts/texts.tsx';
import './dialog.css';

type DialogProps = { opened: boolean; onClose: () => void; title: ReactNode; size?: 'md' | 'lg'; children: ReactNode };

/**
 * A modal dialog. Unlike the library dialog, it does not add a second banner landmark, names its close button, and
 * avoids inline styles, which the Content-Security-Policy would refuse.
 */
export const Dialog = ({ opened, onClose, title, size = 'md', children }: DialogProps) => {
  const { close } = useTexts();
  return (
    <Modal.Root opened={opened} onClose={onClose} size={size} lockScroll={false} centered>
      <Modal.Overlay />
      <Modal.Content>
        <div className="dialog-head">
          <Modal.Title fw={600}>{title}</Modal.Title>
          <Modal.CloseButton aria-label={close} />
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
};
