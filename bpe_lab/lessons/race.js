// The race of bpe_lab/lessons/race.py: it plays what stands in `data-race` of the element around.
// Without it the table stays as it is. Nothing is loaded and nothing is kept.
(() => {
  const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
  const UNITS = [[3600, "hours"], [60, "minutes"], [1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const DECADE = 2; // seconds of watching until the growing clock shows ten times as much
  const STEP = 1; // seconds between finishes where little motion is asked for
  const STEPS_OF_SLIDER = 1000;
  const SPEEDS = [
    [1e-3, "slow motion, 1,000 times"],
    [1e-2, "slow motion, 100 times"],
    [1e-1, "slow motion, 10 times"],
    [1, "real time"],
    [10, "10 times as fast"],
    [100, "100 times as fast"],
    [1000, "1,000 times as fast"],
    [0, `logarithmic: ten times as fast every ${DECADE} s`],
  ];

  const element = (name, parent, properties = {}) =>
    parent.appendChild(Object.assign(document.createElement(name), properties));

  const significant = (number) =>
    number >= 10
      ? Math.round(number).toLocaleString("en-US")
      : number > 0 ? number.toPrecision(2).replace(/\.0$/, "") : "0";

  // As bpe_lab.results.numbers.duration: minutes and hours from two on.
  const duration = (seconds) => {
    for (const [size, unit] of UNITS) {
      if (seconds >= (size > 1 ? 2 * size : size)) return `${significant(seconds / size)} ${unit}`;
    }
    return "0 s";
  };

  const ordinal = (place) => {
    const last = place % 100 > 10 && place % 100 < 14 ? 0 : place % 10;
    return place + ({ 1: "st", 2: "nd", 3: "rd" }[last] || "th");
  };

  const twoDigits = (number) => String(number).padStart(2, "0");
  const hours = (date) => `${date.getHours()}:${twoDigits(date.getMinutes())}`;

  // "at 14:20:05", "at 14:20", "on Thursday at 14:20": as exact as the wait is long.
  const timeOfDay = (start, seconds) => {
    const end = new Date(start.getTime() + 1000 * seconds);
    const exact = seconds < 120 ? `:${twoDigits(end.getSeconds())}` : "";
    if (end.toDateString() === start.toDateString()) return `at ${hours(end)}${exact}`;
    const soon = seconds < 6 * 86400;
    const day = soon ? WEEKDAYS[end.getDay()] : end.toLocaleDateString("en-GB", {
      day: "numeric", month: "long", year: "numeric",
    });
    return `on ${day} at ${hours(end)}${exact}`;
  };

  // Merges made after some seconds: between recorded moments, then at the recorded rate.
  const mergesAt = (stage, seconds, total) => {
    if (seconds >= stage.finish) return total;
    const moments = stage.moments;
    let next = moments.findIndex(([when]) => when > seconds);
    let before = [0, 0];
    let after = [stage.finish, total];
    if (next < 0) before = moments[moments.length - 1];
    else {
      after = moments[next];
      if (next) before = moments[next - 1];
    }
    const share = (seconds - before[0]) / (after[0] - before[0]);
    return before[1] + share * (after[1] - before[1]);
  };

  const play = (root) => {
    const { total, stages } = JSON.parse(root.dataset.race);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const finishes = [...new Set(stages.map((stage) => stage.finish))].sort((a, b) => a - b);
    const first = finishes[0] / 10;
    const end = finishes[finishes.length - 1];
    const slowest = stages.find((stage) => stage.finish === end);
    // When it would be done, in real time, is told when the reader has looked.
    let looked = false;
    let clock = 0;
    let running = false;
    let before = 0;
    let started = null;
    let timer = 0;

    const table = root.querySelector("table");
    const field = document.createElement("div");
    field.className = "field";
    field.tabIndex = 0;
    field.setAttribute("role", "group");
    field.setAttribute(
      "aria-label",
      "The race. Space starts and pauses it, N goes on to the next finish, Home goes back.",
    );
    table.before(field);

    const controls = element("div", field, { className: "controls" });
    const button = (text, act) => element("button", controls, { type: "button", textContent: text, onclick: act });
    const startButton = button("Start", () => (running ? pause() : start()));
    button("Restart", () => { restart(); start(); });
    button("Next finish", () => { pause(); toNextFinish(); });
    const speed = element("select", element("label", controls, { textContent: "Speed " }));
    for (const [value, text] of SPEEDS) element("option", speed, { value, textContent: text });
    // In real time all but a few are done before anybody has looked, and the last one after an hour.
    speed.value = "0";
    if (calm) speed.parentNode.hidden = true;

    const dial = element("p", field, { className: "dial" });
    const shown = element("b", dial);
    const slider = element("input", dial, { type: "range", min: 0, max: STEPS_OF_SLIDER, value: 0 });
    slider.setAttribute("aria-label", "the clock of the race");
    const said = element("p", field, { className: "said" });

    const lanes = stages.map((stage) => {
      const lane = element("div", field, { className: stage.strong ? "lane strong" : "lane" });
      element("span", lane, { className: "name", textContent: stage.name });
      const track = element("span", lane, { className: "track" });
      track.setAttribute("aria-hidden", "true");
      if (stage.color) track.style.setProperty("--stage", stage.color);
      const estimated = element("i", track, { className: "estimated" });
      const recorded = element("i", track, { className: "recorded" });
      return { stage, lane, estimated, recorded, note: element("span", lane, { className: "note" }) };
    });
    const news = element("p", field, { className: "news" });
    news.setAttribute("aria-live", "polite");
    element("p", field, {
      className: "quiet",
      textContent:
        "✓: done. Solid: recorded. Striped: the time budget had stopped it; it runs on at its recorded rate, an " +
        "upper estimate. Keys: space starts and pauses, N next finish, Home back to the start." +
        (calm ? " It goes from finish to finish, for your system asks for little motion." : ""),
    });
    const details = document.createElement("details");
    element("summary", details, { textContent: "The result as a table" });
    table.before(details);
    // Who looks at the race first shall find out from it.
    details.append(root.querySelector(".result"), table);
    // Paper has no clock: there the table is all there is.
    let unfolded = false;
    addEventListener("beforeprint", () => {
      unfolded = !details.open;
      details.open = true;
    });
    addEventListener("afterprint", () => (details.open = details.open && !unfolded));

    const ends = (seconds) => timeOfDay(started || new Date(), seconds);

    // The slider is logarithmic: what is fast and what is slow have the same room on it.
    const toSlider = (seconds) =>
      seconds <= first ? 0 : (STEPS_OF_SLIDER * Math.log(seconds / first)) / Math.log(end / first);
    const fromSlider = (value) => (value <= 0 ? 0 : first * (end / first) ** (value / STEPS_OF_SLIDER));

    const draw = () => {
      shown.textContent = duration(clock);
      slider.value = toSlider(clock);
      slider.setAttribute("aria-valuetext", duration(clock));
      startButton.textContent = running ? "Pause" : clock > 0 && clock < end ? "Go on" : "Start";
      let finished = null;
      for (const { stage, lane, estimated, recorded, note } of lanes) {
        const merges = mergesAt(stage, clock, total);
        const done = clock >= stage.finish;
        recorded.style.width = `${(100 * Math.min(merges, stage.recorded)) / total}%`;
        estimated.style.width = stage.estimated ? `${(100 * merges) / total}%` : "0";
        estimated.style.visibility = merges > stage.recorded ? "visible" : "hidden";
        lane.classList.toggle("done", done);
        note.textContent = done
          ? `✓ ${ordinal(stage.place)}, ${stage.estimated ? "at most " : ""}${stage.time}`
          : clock > 0 ? `${Math.floor(merges).toLocaleString("en-US")} merges` : `${stage.rate} merges/s`;
        if (done && (!finished || stage.finish > finished.finish)) finished = stage;
      }
      const text = finished ? `${finished.name} is ${ordinal(finished.place)}.` : "";
      if (news.textContent !== text) news.textContent = text;
      const estimate = slowest.estimated ? ", at the latest" : "";
      const when = started ? `Started at ${hours(started)}` : `Started now, at ${hours(new Date())}`;
      looked = looked || clock > 0;
      said.textContent = looked
        ? `${when}, ${slowest.name} finishes ${ends(slowest.finish)}${estimate}.`
        : `When is ${slowest.name} done, in real time? Guess, then start.`;
    };

    const stopTimers = () => {
      cancelAnimationFrame(timer);
      clearTimeout(timer);
    };
    const pause = () => {
      running = false;
      stopTimers();
      draw();
    };
    const toNextFinish = () => {
      clock = finishes.find((finish) => finish > clock) || end;
      started = started || new Date();
      draw();
    };
    const restart = () => {
      stopTimers();
      running = false;
      clock = 0;
      started = null;
      draw();
    };
    const goOn = (now) => {
      if (!running || !root.isConnected) return;
      const passed = Math.max(0, now - before) / 1000;
      before = now;
      const factor = Number(speed.value);
      clock = factor ? clock + factor * passed : Math.max(clock, first) * 10 ** (passed / DECADE);
      clock = Math.min(clock, end);
      running = clock < end;
      draw();
      if (running) timer = requestAnimationFrame(goOn);
    };
    const stepOn = () => {
      if (!running || !root.isConnected) return;
      toNextFinish();
      running = clock < end;
      draw();
      if (running) timer = setTimeout(stepOn, 1000 * STEP);
    };
    const start = () => {
      if (clock >= end) restart();
      running = true;
      started = started || new Date();
      before = performance.now();
      draw();
      timer = calm ? setTimeout(stepOn, 1000 * STEP) : requestAnimationFrame(goOn);
    };

    slider.oninput = () => {
      const value = Number(slider.value);
      pause();
      clock = value >= STEPS_OF_SLIDER ? end : fromSlider(value);
      draw();
    };
    field.onkeydown = (event) => {
      // The keys of a notebook must not act, too. Buttons, list and slider have keys of their own.
      event.stopPropagation();
      if (event.target !== field || event.ctrlKey || event.metaKey || event.altKey) return;
      const act = {
        " ": () => (running ? pause() : start()),
        n: () => { pause(); toNextFinish(); },
        Home: restart,
      }[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };

    // Light text is on a dark ground, whoever made it dark.
    const lightOrDark = () => {
      const [red, green, blue] = getComputedStyle(root).color.match(/[\d.]+/g).map(Number);
      root.classList.toggle("dark", 0.3 * red + 0.6 * green + 0.1 * blue > 140);
    };
    const watched = new MutationObserver(lightOrDark);
    for (const one of [document.documentElement, document.body]) watched.observe(one, { attributes: true });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", lightOrDark);
    lightOrDark();
    draw();
    // "Started now" stays true while nobody starts it.
    const minute = setInterval(() => {
      if (!root.isConnected) clearInterval(minute);
      else if (!started) draw();
    }, 20000);
  };

  for (const root of document.querySelectorAll(".bpe-race:not([data-ready])")) {
    root.dataset.ready = "yes";
    play(root);
  }
})();
