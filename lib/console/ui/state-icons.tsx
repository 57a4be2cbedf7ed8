import type { ReactNode } from 'react';

type IconProps = { className?: string };
const icon =
  (content: ReactNode) =>
  ({ className = 'icon' }: IconProps) => (
    <svg
      className={className}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden
    >
      {content}
    </svg>
  );

/** A person on the floor. */
export const LyingIcon = icon(
  <>
    <circle cx="4.8" cy="13.6" r="2.3" />
    <path d="M9.5 16h12M9.5 16l3.4-4.2h3.6M2 20h20" />
  </>,
);

/** A person walking. */
export const GoingIcon = icon(
  <>
    <circle cx="13.2" cy="4.2" r="1.9" />
    <path d="M12.6 8.2 10.4 13l3.4 3 .8 5M10.6 15.4 9 18l-3.4 2.6M12.6 8.2 8.6 9.6 7.4 12.6M13 9.4l2 2.6 3.2.6" />
  </>,
);

/** A question mark in a dashed circle. */
export const UnsureIcon = icon(
  <>
    <path d="M12 21.2a9.2 9.2 0 1 0 0-18.4 9.2 9.2 0 0 0 0 18.4Z" strokeDasharray="3.2 2.6" />
    <path d="M9.8 9.2a2.3 2.3 0 1 1 3.3 2.3c-.8.4-1.1.9-1.1 1.8M12 16.4v.1" />
  </>,
);
