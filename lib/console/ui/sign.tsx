/** The console logo, in ink. */
export const Sign = () => (
  <svg className="sign" viewBox="0 0 28 28" aria-hidden>
    <rect width="28" height="28" rx="6" fill="var(--ink)" />
    <g fill="none" stroke="var(--on-ink)" strokeWidth="2.2" strokeLinecap="round">
      <path d="M7.5 12a9 9 0 0 1 13 0M10.4 15.6a5 5 0 0 1 7.2 0" />
    </g>
    <circle cx="14" cy="19.8" r="1.8" fill="var(--on-ink)" />
  </svg>
);
