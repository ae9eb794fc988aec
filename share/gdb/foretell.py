"""gdb commands for a replay under `foretell replay FINDING --gdb`.

  info schedule [N]   the steps around the current one: who does what, where (N before and after)
  schedule-next [N]   take N steps of the schedule (1), then stop before the next one
  schedule-where      where every thread of the program stands, and whose turn it is
  schedule-frame      select the program's frame again, after a look at others

The runtime stops in __foretell_reached before a step of the schedule; the thread that gdb selects
there is the one that takes it. Its frames in the runtime are hidden (`backtrace -no-filters` has
them), and the frame that is selected is the program's. The steps come from the file that $foretell_steps names, the
positions from the runtime's variables (runtime/schedule/debugger.h).
"""

import json

import gdb

RUN_WORDS = ["can continue", "is blocked", "is outside the schedule's control", "has ended"]
WAIT_WORDS = ["", "by a lock", "in a condition wait", "at a barrier", "by a semaphore", "joining a thread",
              "by a futex", "by a once", "in a sleep", "by a descriptor"]


def number(name, width="unsigned long"):
    return int(gdb.parse_and_eval("*(%s*)&%s" % (width, name)))


def steps_file():
    value = gdb.convenience_variable("foretell_steps")
    if value is None:
        raise gdb.GdbError("this is not a replay: start it with 'foretell replay FINDING --gdb'")
    return value.string()


class Steps:
    """The end of the schedule, as `foretell replay` wrote it."""

    loaded = None

    @classmethod
    def load(cls):
        if cls.loaded is None:
            with open(steps_file(), encoding="utf-8", errors="replace") as file:
                cls.loaded = json.load(file)
        return cls.loaded


def taken():
    try:
        return number("__foretell_step")
    except gdb.error:
        raise gdb.GdbError("the program is not running yet, or was not built with Foretell")


def text_of(step):
    what = step["op"] + (" " + step["object"] if step["object"] else "")
    return "%6d  %-5s %-40s %s" % (step["step"], step["thread"], what, step["site"])


def is_ours(frame):
    """Whether a frame belongs to the runtime, and not to the program."""
    library = gdb.solib_name(frame.pc()) or ""
    return "libforetell_rt" in library or (frame.name() or "").startswith("__foretell")


def program_frame():
    """The innermost frame of the selected thread that has a source line and is not the runtime's."""
    frame = gdb.newest_frame()
    for _ in range(64):
        if frame is None:
            return None
        library = gdb.solib_name(frame.pc()) or ""
        if frame.find_sal().symtab and not is_ours(frame) and library[:5] not in ("/lib/", "/usr/"):
            return frame
        frame = frame.older()
    return None


class WithoutRuntime:
    """Leaves the runtime's frames out of backtraces."""

    def __init__(self):
        self.name = "foretell"
        self.priority = 100
        self.enabled = True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (frame for frame in frames if not is_ours(frame.inferior_frame()))


def select_program_frame(event):
    """Where a replay stops, the program's line is of interest, not the runtime's."""
    try:
        if is_ours(gdb.newest_frame()):
            frame = program_frame()
            if frame is not None:
                frame.select()
                gdb.execute("frame")
    except gdb.error:
        pass


def be_quiet(breakpoint):
    """The place of the runtime where a replay stops is not worth showing."""
    if breakpoint.location == "__foretell_reached":
        breakpoint.silent = True


class ScheduleFrame(gdb.Command):
    """schedule-frame: select the program's innermost frame of this thread, and show its line."""

    def __init__(self):
        super().__init__("schedule-frame", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        frame = program_frame()
        if frame is None:
            print("this thread is in code without source lines")
            return
        frame.select()
        gdb.execute("frame")


class InfoSchedule(gdb.Command):
    """info schedule [N]: the steps of the schedule around the current one, N before and N after."""

    def __init__(self):
        super().__init__("info schedule", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        around = int(argument) if argument.strip() else 8
        steps = Steps.load()
        done = taken()
        print("%s: step %d of %d of the schedule comes next" %
              (steps["name"], min(done + 1, steps["steps"]), steps["steps"])
              if done < steps["steps"] else
              "%s: all %d steps of the schedule were taken" % (steps["name"], steps["steps"]))
        shown = [s for s in steps["last"] if done - around < s["step"] <= done + 1 + around]
        if steps["last"] and shown and shown[0]["step"] > steps["last"][0]["step"]:
            print("   ...")
        for step in shown:
            print(("=> " if step["step"] == done + 1 else "   ") + text_of(step))
        if shown and shown[-1]["step"] < steps["steps"]:
            print("   ...")


class ScheduleNext(gdb.Command):
    """schedule-next [N]: take N steps of the schedule (1), then stop before the next one."""

    def __init__(self):
        super().__init__("schedule-next", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        count = int(argument) if argument.strip() else 1
        steps = Steps.load()
        done = taken()
        if done + count >= steps["steps"]:
            print("the schedule ends with the next %d step%s; the program then continues freely"
                  % (steps["steps"] - done, "" if steps["steps"] - done == 1 else "s"))
        gdb.execute("set variable *(unsigned long*)&__foretell_pause_at = %d" % (done + count + 1))
        gdb.execute("continue")
        if gdb.selected_thread() is not None and taken() > done:
            gdb.execute("info schedule 2")


class ScheduleWhere(gdb.Command):
    """schedule-where: where every thread of the program is, and whose turn it is."""

    def __init__(self):
        super().__init__("schedule-where", gdb.COMMAND_STATUS)

    @staticmethod
    def threads():
        count = number("__foretell_thread_count", "unsigned int")
        base = int(gdb.parse_and_eval("(unsigned long)&__foretell_threads"))
        memory = gdb.selected_inferior().read_memory(base, 16 * count).tobytes()
        for at in range(0, 16 * count, 16):
            yield [int.from_bytes(memory[at + k:at + k + 4], "little") for k in (0, 4, 8, 12)]

    @staticmethod
    def place_of(thread):
        """The program's innermost function there and its line."""
        before = gdb.selected_thread()
        selected = gdb.selected_frame()
        try:
            thread.switch()
            frame = program_frame()
            if frame is not None:
                table = frame.find_sal()
                return "%s at %s:%d" % (frame.name() or "", table.symtab.filename, table.line)
        except gdb.error:
            pass
        finally:
            before.switch()
            selected.select()
        return "in code without source lines"

    def invoke(self, argument, from_tty):
        taken()
        by_lwp = {t.ptid[1]: t for t in gdb.selected_inferior().threads()}
        turn = number("__foretell_turn", "unsigned int")
        for (name, lwp, run, wait) in self.threads():
            thread = by_lwp.get(lwp)
            state = RUN_WORDS[run] if run < len(RUN_WORDS) else "?"
            if run == 1 and wait < len(WAIT_WORDS):
                state += " " + WAIT_WORDS[wait]
            where = self.place_of(thread) if thread else "not seen by gdb"
            print("%s T%-3d gdb thread %-3s %s; %s" % ("=>" if name == turn else "  ", name,
                                                    thread.num if thread else "?", where, state))


gdb.execute("set pagination off")
InfoSchedule()
ScheduleNext()
ScheduleWhere()
ScheduleFrame()
WithoutRuntime()
gdb.events.breakpoint_created.connect(be_quiet)
gdb.events.stop.connect(select_program_frame)
# "thread N" shows the innermost frame; this goes on to the program's.
gdb.execute("define hookpost-thread\nif $_thread != 0\nschedule-frame\nend\nend")
