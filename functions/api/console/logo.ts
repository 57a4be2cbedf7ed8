const svgOf = ({ more = '', corner = 8 } = {}): string =>
  [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">',
    `<rect width="32" height="32" rx="${corner}" fill="#0b7285"/>`,
    '<path d="M12 7h8M10.5 11.5a7 7 0 0 0 11 0M7 15.5a12 12 0 0 0 18 0" fill="none" stroke="white" stroke-width="2.5" stroke-linecap="round"/>',
    '<circle cx="16" cy="25" r="2.5" fill="white"/>',
    more,
    '</svg>',
  ].join('');
const urlOf = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;

/** The console logo as an SVG: a sensor on the ceiling, its waves, and a person below. */
export const logo: string = svgOf();

/** The logo without rounded corners, for systems that round icons themselves. */
export const squareLogo: string = svgOf({ corner: 0 });

/** The logo as a data URL. */
export const logoUrl = urlOf(logo);

/** Returns the logo as a data URL, with a number in a red badge (at most "9+"). */
export const logoWithBadge = (count: number): string =>
  urlOf(
    svgOf({
      more:
        '<circle cx="20" cy="20" r="12" fill="#c0232b"/>' +
        `<text x="20" y="26" text-anchor="middle" font-family="sans-serif" font-size="17" font-weight="700" fill="white">${count > 9 ? '9+' : count}</text>`,
    }),
  );
