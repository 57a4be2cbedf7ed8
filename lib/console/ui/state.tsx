import type { ReactNode } from 'react';
import './state.css';

/** The states of a room or a delivery, by how they look. */
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

/** A state: an icon and a word. The fill says how urgent it is, the texture how certain. */
export const State = ({ kind, icon, children }: { kind: StateKind; icon?: ReactNode; children: ReactNode }) => (
  <span className={`st ${kind}`}>
    {icon}
    {children}
  </span>
);
