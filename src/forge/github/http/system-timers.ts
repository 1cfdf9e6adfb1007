// The clock on the wall, where no other is given.

export const systemTimers = {
  after(ms: number, fn: () => void): () => void {
    const timer = setTimeout(fn, Math.min(ms, 2_147_483_647));
    return () => clearTimeout(timer);
  },
};
