// Follows the stream of snapshots, and reconnects when it breaks.

// A snapshot arrives each second; after this silence, in ms, the connection counts as dead.
const SILENCE = 6000;
const PAUSES = [500, 1000, 2000, 5000];

// Calls `onChange({ state, … })` with `live` and a snapshot, `lost` and the reason, or `locked` when a token is needed.
// Never ends. `token()` returns the token, `unlocked()` a promise of a new one.
export const follow = async (onChange, token, unlocked) => {
  for (let failed = 0; ; ) {
    try {
      await read((snapshot) => {
        failed = 0;
        onChange({ state: 'live', snapshot });
      }, token());
      onChange({ state: 'lost', reason: 'the server ended the stream' });
    } catch (error) {
      if (error.status === 401) {
        onChange({ state: 'locked' });
        await unlocked();
        continue;
      }
      onChange({ state: 'lost', reason: error.message });
    }
    const pause = PAUSES[Math.min(failed, PAUSES.length - 1)];
    failed += 1;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
};

// The page at /?servers=all shows all servers that publish on the same subject.
const ALL = new URLSearchParams(location.search).get('servers') === 'all' ? '?servers=all' : '';

const read = async (each, token) => {
  const abort = new AbortController();
  let timer;
  const alive = () => {
    clearTimeout(timer);
    timer = setTimeout(() => abort.abort(), SILENCE);
  };
  alive();
  try {
    const headers = token ? { Authorization: `Bearer ${token}` } : {};
    const answer = await fetch(`/api/live${ALL}`, { headers, signal: abort.signal, cache: 'no-store' });
    if (!answer.ok) throw Object.assign(new Error((await answer.text()).trim()), { status: answer.status });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      const events = (rest + value).split('\n\n');
      rest = events.pop();
      for (const event of events) {
        if (event.startsWith('data: ')) each(JSON.parse(event.slice(6)));
      }
    }
  } catch (error) {
    if (error.status) throw error;
    throw new Error(abort.signal.aborted ? 'nothing came for some seconds' : 'the server does not answer');
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
};
