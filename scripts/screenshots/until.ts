// Waits for something that a daemon of a setting does by itself.

/** Throws after a minute. */
export async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`still waiting for ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
