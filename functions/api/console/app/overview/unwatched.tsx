import { Alert, Anchor, List } from '@mantine/core';
import { Link } from 'wouter';
import { useTexts } from '../texts/texts.tsx';
import { hasGap, type Watch } from './watch.ts';

/** Says in red what of a home is not watched: nobody would hear of a fall there. Nothing while there is no sensor yet. */
export const Unwatched = ({ watch }: { watch: Watch | undefined }) => {
  const { overview: texts } = useTexts();
  if (!watch || watch.sensors === 0 || !hasGap(watch)) return null;
  const { sensors, silent, fallsTold } = watch;
  return (
    <section aria-label={texts.unwatched}>
      <Alert color="red" variant="filled" role="note" title={texts.unwatched} className="unwatched">
        <List>
          {silent > 0 && (
            <List.Item>
              <Anchor component={Link} href="/sensors?state=inactive">
                {texts.silent(silent, sensors)}
              </Anchor>
            </List.Item>
          )}
          {fallsTold === 'none' && (
            <List.Item>
              <Anchor component={Link} href="/rules/new">
                {texts.noFallRule}
              </Anchor>
            </List.Item>
          )}
        </List>
      </Alert>
    </section>
  );
};
