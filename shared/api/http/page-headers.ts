const directives = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * Returns the headers for pages of this service. Everything is loaded from the same origin, scripts and styles are
 * never inline, no frame may show the page, and other sites do not learn its address. `further`: additional
 * Content-Security-Policy directives.
 */
export const pageHeaders = (...further: string[]) => ({
  'Content-Security-Policy': [...directives, ...further].join('; '),
  'Referrer-Policy': 'no-referrer',
});
