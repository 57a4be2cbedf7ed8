import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorBoundary, type FallbackProps } from 'react-error-boundary';
import { useTexts } from '../texts/texts.tsx';
import { FileNotLoaded } from './not-loaded.ts';

const ErrorNotice = ({ error, resetErrorBoundary }: FallbackProps) => {
  const texts = useTexts();
  const isNotLoaded = error instanceof FileNotLoaded;
  return (
    <Alert color="red" role="alert" title={isNotLoaded ? texts.notLoaded : texts.broken}>
      <Button variant="default" size="xs" onClick={isNotLoaded ? () => window.location.reload() : resetErrorBoundary}>
        {texts.tryAgain}
      </Button>
    </Alert>
  );
};

/**
 * Shows an error in place of the children that caused it, so that the rest of the page keeps working. A new `of` clears
 * the error.
 */
export const Boundary = ({ of, children }: { of?: string; children: ReactNode }) => (
  <ErrorBoundary FallbackComponent={ErrorNotice} resetKeys={[of]}>
    {children}
  </ErrorBoundary>
);
