// Composes what the daemon serves over HTTP: health, readiness, metrics, hooks, and the console where it is on.
import type { Hono } from 'hono';
