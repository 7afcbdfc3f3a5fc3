// The headers of every answer: pages load nothing from elsewhere, stand in no frame, and run no script inside their text.
import { secureHeaders } from 'hono/secure-headers';

export const safeHeaders = secureHeaders({
  // The server speaks plain HTTP, and does not know whether there is TLS in front.
  strictTransportSecurity: false,
  xFrameOptions: 'DENY',
  referrerPolicy: 'same-origin',
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    scriptSrc: ["'self'"],
    connectSrc: ["'self'"],
    // Pico draws arrows and ticks with images inside its style sheet.
    imgSrc: ["'self'", 'data:'],
    formAction: ["'self'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
  },
});
