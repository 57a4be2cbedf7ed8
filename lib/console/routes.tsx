import { ChartBarIcon, HomeIcon, SignalIcon } from '@heroicons/react/24/outline';
import { OverviewPage } from './overview/overview.tsx';
import type { Page } from './page.ts';
import { SensorsPage } from './sensors/sensors.tsx';
import { setupPages } from './setup-pages.tsx';
import { later } from './ui/later.tsx';

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
