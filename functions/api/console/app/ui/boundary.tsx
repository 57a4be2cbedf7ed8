import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorBoundary, type FallbackProps } from 'react-error-boundary';
import { useTexts } from '../texts/texts.tsx';

const Broken = ({ resetErrorBoundary }: FallbackProps) => {
  const texts = useTexts();
  return (
    <Alert color="red" role="alert" title={texts.broken}>
      <Button variant="default" size="xs" onClick={resetErrorBoundary}>
        {texts.tryAgain}
      </Button>
    </Alert>
  );
};

/** What fails inside is said there; everything around it goes on. Another `of` (the address of a page) begins anew. */
export const Boundary = ({ of, children }: { of?: string; children: ReactNode }) => (
  <ErrorBoundary FallbackComponent={Broken} resetKeys={[of]}>
    {children}
  </ErrorBoundary>
);
