import type { Deps } from '#shared/runtime/deps.ts';
import type { feed } from './contract.ts';

export type FeedDeps = Deps<(typeof feed)['operations']['fetchFeed']['uses'][number]>;
