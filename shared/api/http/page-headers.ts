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
 * Returns the headers of a page of this service: everything is loaded from its own origin, scripts and styles are never
 * inline, no frame may show it, and other sites do not learn its address. `further`: additional directives of the
 * Content-Security-Policy.
 */
export const pageHeaders = (...further: string[]) => ({
  'Content-Security-Policy': [...directives, ...further].join('; '),
  'Referrer-Policy': 'no-referrer',
});
