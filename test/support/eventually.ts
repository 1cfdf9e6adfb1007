// Polling with a deadline, for what happens in real time.

export async function eventually<T>(
  look: () => Promise<T> | T,
  withinMs = 10_000,
  everyMs = 20,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }
}
