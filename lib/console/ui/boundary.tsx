import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorBoundary, type FallbackProps } from 'react-error-boundary';
import { useTexts } from '../texts/texts.tsx';
import { NotLoaded } from './not-loaded.ts';

const Broken = ({ error, resetErrorBoundary }: FallbackProps) => {
  const texts = useTexts();
  const isNotLoaded = error instanceof NotLoaded;
  return (
    <Alert color="red" role="alert" title={isNotLoaded ? texts.notLoaded : texts.broken}>
      <Button variant="default" size="xs" onClick={isNotLoaded ? () => window.location.reload() : resetErrorBoundary}>
        {texts.tryAgain}
      </Button>
    </Alert>
  );
};

/**
 * Shows an error of its children in their place, so that the rest of the page goes on. A new value of `of` (the
 * address of a page) resets it.
 */
export const Boundary = ({ of, children }: { of?: string; children: ReactNode }) => (
  <ErrorBoundary FallbackComponent={Broken} resetKeys={[of]}>
    {children}
  </ErrorBoundary>
);
