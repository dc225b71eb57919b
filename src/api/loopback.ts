/**
 * Whether a host, as `new URL` writes it, is this machine: `localhost`, 127.0.0.0/8, `[::1]`. That form is canonical, so
 * `127.1` and `2130706433` have become `127.0.0.1`, and `127.0.0.1.evil.example` stays what it is.
 */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
