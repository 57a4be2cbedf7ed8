import type { ReactNode } from 'react';
import './state.css';

/** Room and delivery states, grouped by appearance. */
export type StateKind =
  | 'open'
  | 'escalating'
  | 'mine'
  | 'theirs'
  | 'suspected'
  | 'offline'
  | 'plain'
  | 'ok'
  | 'waiting'
  | 'failed';

/** A state: an icon and a word. The fill shows how urgent it is, the texture how certain. */
export const State = ({ kind, icon, children }: { kind: StateKind; icon?: ReactNode; children: ReactNode }) => (
  <span className={`st ${kind}`}>
    {icon}
    {children}
  </span>
);
