import './tokens.css';
import './mantine.css';
import '@mantine/notifications/styles.css';
import './theme.css';
import './app.css';
import './overview/timeline.css';
import './floor/floor.css';
import './roster/roster.css';
import './setup.css';
import './ui/list.css';
import './sensors/room/room.css';
import './sensors/sensor.css';
import './sensors/sensors.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
// Without its style sheet the page would be unreadable, so the initial text stays. A style sheet that failed to load
// has no rules.
const hasStyle = [...document.styleSheets].some(({ cssRules }) => cssRules.length > 0);
if (hasStyle) createRoot(root).render(<App />);
