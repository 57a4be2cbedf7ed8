import { ChartBarIcon, HomeIcon, SignalIcon } from '@heroicons/react/24/outline';
import type { User } from 'openapi';
import type { ComponentType } from 'react';
import { OverviewPage } from './overview/overview.tsx';
import { SensorsPage } from './sensors/sensors.tsx';
import type { Needs } from './session/may.ts';
import { setupPages } from './setup-pages.tsx';
import type { Texts } from './texts/en.ts';
import { later } from './ui/later.tsx';

export type Page = {
  /** The path below the console's address; `:id` is a parameter that the page reads by useParams. */
  path: string;
  page: ComponentType;
  /** The permission that the user needs; without it the page is neither offered nor shown. */
  needs?: Needs;
  /** The entry in the navigation. Pages that are only reached from other pages have none. */
  entry?: { label: (texts: Texts, me: User) => string; icon: ComponentType<{ className: string }> };
};

/**
 * Every page for users who are logged in, in the order of the navigation. To add a page, add a line here, its texts
 * in texts/en.ts and texts/de.ts, and a journey in test/browser.
 */
export const pages: readonly Page[] = [
  { path: '/', page: OverviewPage, entry: { label: (texts) => texts.overview.title, icon: HomeIcon } },
  { path: '/sensors', page: SensorsPage, entry: { label: (texts) => texts.sensors.title, icon: SignalIcon } },
  { path: '/sensors/:sensorId', page: later('SensorPage') },
  {
    path: '/reports',
    page: later('ReportsPage'),
    entry: { label: (texts) => texts.reports, icon: ChartBarIcon },
  },
  ...setupPages,
  { path: '/account', page: later('ProfilePage') },
  { path: '/account/channels', page: later('ChannelsPage') },
];
