// What a process gives up before a foreign program runs in it, and the options that say how much. Used by the launcher
// of one program (confine.cpp), by the server that launches many (launch_server.cpp), and by a process that confines
// itself.
//
//   [-p run|tools|python] [-r PATH]... [-w PATH]... [-m MiB] [-t seconds] [-f MiB] [-n files] [-l optional]
//   [-e NAME[=VALUE]]... -- program argument...
//
//   -p  run        a candidate: a few dozen system calls, neither threads nor processes (default)
//       simulator  what a kernel runs on: as run, with threads
//       tools      a compiler: processes, but no network, tracing, mounts or kernel interfaces
//       python     strangers' Python in a forked judge: as tools, without new processes
//   -r  file or tree that may be read and executed, -w tree that may be read and written; all else is out of reach
//   -l  optional: go on where the kernel has no Landlock, as inside bubblewrap, which shows no other files anyway
//   -m  address space, -t CPU time, -f size of a written file, -n open files
//   -e  environment of the program; beside these it has none; NAME alone is handed on where it is set
//
// Layers, each of which holds for every thread and is given to every process that follows: resource limits,
// no_new_privs, Landlock (files, TCP, abstract sockets, signals), seccomp. A layer this kernel lacks is an error:
// nobody is confined less than asked.
// Sources: landlock(7), seccomp(2), Documentation/userspace-api/landlock.rst; costs measured in docs/security.md.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
#define CONFINE_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define CONFINE_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "confine knows the system calls of x86-64 and aarch64 only"
#endif

namespace {

constexpr int kLayerMissing = 70;
constexpr unsigned long long kCpuGraceS = 5;
// Numbers of landlock are the same on every architecture; headers may be older than the kernel.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr unsigned long long kExecute = 1, kWriteFile = 2, kReadFile = 4, kReadDir = 8, kTruncate = 1 << 14;
constexpr unsigned long long kControlDevice = 1 << 15;  // ioctl on a device; kernels before ABI 5 do not ask for it
constexpr unsigned long long kSpecialFiles = 1 << 6 | 1 << 9 | 1 << 10 | 1 << 11;  // devices, sockets, FIFOs

struct Request {
    const char* profile = "run";
    std::vector<const char*> readable, writable;
    std::vector<char*> environment;
    bool needs_landlock = true;
    unsigned long long memory_mib = 0, cpu_s = 0, file_mib = 0, files = 64;
    int program = 0;   ///< index of the program among the arguments
    int opened = -1;   ///< descriptor of the program; -1: it is found by its path
};

bool lacks(const char* what) {
    std::fprintf(stderr, "confine: %s: %s\n", what, std::strerror(errno));
    return false;
}

/// Sets a limit; `grace` is how far the system's own end lies behind the signal that says the limit is reached.
bool limit(int which, unsigned long long value, unsigned long long grace = 0) {
    rlimit now{};
    getrlimit(static_cast<__rlimit_resource>(which), &now);
    const rlim_t most = now.rlim_max < value ? now.rlim_max : static_cast<rlim_t>(value);
    const rlimit wanted{most, now.rlim_max < value + grace ? now.rlim_max : static_cast<rlim_t>(value + grace)};
    return setrlimit(static_cast<__rlimit_resource>(which), &wanted) == 0 || lacks("setrlimit");
}

bool limit_resources(const Request& request) {
    return limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, request.files) &&
           (request.memory_mib == 0 || limit(RLIMIT_AS, request.memory_mib << 20)) &&
           (request.cpu_s == 0 || limit(RLIMIT_CPU, request.cpu_s, kCpuGraceS)) &&
           (request.file_mib == 0 || limit(RLIMIT_FSIZE, request.file_mib << 20));
}

struct Ruleset {
    unsigned long long files, network, scoped;
};

bool allow_opened(int rules, int file, unsigned long long rights) {
    struct stat found {};
    if (fstat(file, &found) != 0) {
        return false;
    }
    landlock_path_beneath_attr beneath{};
    beneath.parent_fd = file;
    const bool folder = S_ISDIR(found.st_mode);
    beneath.allowed_access = folder ? rights : rights & (kExecute | kWriteFile | kReadFile | kTruncate | kControlDevice);
    return syscall(kAddRule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0;
}

bool allow(int rules, const char* path, unsigned long long rights) {
    const int file = open(path, O_PATH | O_CLOEXEC);
    const bool added = file >= 0 && allow_opened(rules, file, rights);
    const bool good = added || lacks(path);
    close(file);
    return good;
}

/// Files and trees as listed, nothing else; from ABI 4 on no TCP, from 6 on no signals nor abstract sockets outside.
bool confine_files(const Request& request) {
    const long abi = syscall(kCreateRuleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1) {
        return !request.needs_landlock || lacks("Landlock");
    }
    const int kinds[] = {0, 13, 14, 15, 15, 16};  // rights a kernel of each ABI knows
    const unsigned long long all = (1ull << kinds[abi > 5 ? 5 : abi]) - 1;
    const Ruleset handled{all, abi >= 4 ? 3ull : 0, abi >= 6 ? 3ull : 0};
    const size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    const int rules = static_cast<int>(syscall(kCreateRuleset, &handled, size, 0));
    if (rules < 0) {
        return lacks("landlock_create_ruleset");
    }
    bool good = true;
    for (const char* path : request.readable) {
        good = good && allow(rules, path, kExecute | kReadFile | kReadDir);
    }
    if (request.opened >= 0) {
        good = good && (allow_opened(rules, request.opened, kExecute | kReadFile) || lacks("program"));
    }
    for (const char* path : request.writable) {
        good = good && allow(rules, path, all & ~(kExecute | kSpecialFiles));
    }
    good = good && (syscall(kRestrictSelf, rules, 0) == 0 || lacks("landlock_restrict_self"));
    close(rules);
    return good;
}

/// What a compiled candidate, or the C++ runtime around it, asks of the kernel.
const int kNeededToRun[] = {
    SYS_read, SYS_write, SYS_close, SYS_fstat, SYS_lseek, SYS_mmap, SYS_mprotect, SYS_munmap, SYS_brk, SYS_mremap,
    SYS_madvise, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_pread64, SYS_pwrite64,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_getpid, SYS_gettid, SYS_set_tid_address, SYS_set_robust_list,
    SYS_clock_gettime, SYS_getrandom, SYS_getrusage, SYS_openat, SYS_newfstatat, SYS_faccessat, SYS_readlinkat, SYS_exit, SYS_exit_group, SYS_rseq,
#ifdef SYS_access
    SYS_access, SYS_readlink, SYS_arch_prctl,
#endif
};

/// What threads need to wait for each other. Who has one alone would sleep, which no limit of CPU time adds up.
const int kNeededByThreads[] = {SYS_futex, SYS_clock_nanosleep, SYS_nanosleep};
constexpr unsigned kWake = 1, kWakePrivate = 129;  // operations of futex

/// What neither a compiler nor a reference in Python has to do with.
const int kDeniedToTools[] = {
    SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_ptrace, SYS_process_vm_readv,
    SYS_process_vm_writev, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare, SYS_bpf,
    SYS_perf_event_open, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_userfaultfd, SYS_init_module,
    SYS_finit_module, SYS_kexec_load, SYS_open_by_handle_at, SYS_setsid, SYS_kill, SYS_tkill, SYS_reboot,
    SYS_swapon, SYS_swapoff, SYS_quotactl, SYS_acct, SYS_syslog, 425 /* io_uring_setup */, 428 /* open_tree */,
    429 /* move_mount */, 430 /* fsopen */, 434 /* pidfd_open */, 438 /* pidfd_getfd */, 424 /* pidfd_send_signal */,
};

/// With `kDeniedToTools` for Python: a program it starts would be out of sight, memory in a file is not counted, what
/// System V leaves behind outlives it, and the judge is a process of the same user.
const int kDeniedToPython[] = {
    SYS_execve, SYS_execveat, SYS_memfd_create, 447 /* memfd_secret */, SYS_shmget, SYS_shmat, SYS_msgget, SYS_semget,
    SYS_mq_open, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_setpriority, SYS_sched_setaffinity,
    SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_migrate_pages, SYS_move_pages, SYS_kcmp,
    440 /* process_madvise */, 448 /* process_mrelease */,
#ifdef SYS_fork
    SYS_fork, SYS_vfork,
#endif
};

constexpr unsigned kRefuse = SECCOMP_RET_ERRNO | EPERM;
constexpr unsigned kNotThere = SECCOMP_RET_ERRNO | ENOSYS;

void answer(std::vector<sock_filter>& code, int number, unsigned verdict) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, verdict));
}

/// Lets a call through only when an argument, by default the first, is one of two numbers.
void only_for(std::vector<sock_filter>& code, int number, unsigned first, unsigned second, size_t argument = 0) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 5));
    const auto at = static_cast<unsigned>(offsetof(seccomp_data, args) + 8 * argument);
    code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at));
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0));
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, kRefuse));
}

bool confine_calls(const Request& request) {
    const bool python = std::strcmp(request.profile, "python") == 0;
    const bool tools = std::strcmp(request.profile, "tools") == 0;
    const bool simulator = std::strcmp(request.profile, "simulator") == 0;
    std::vector<sock_filter> code = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CONFINE_ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
#if defined(__x86_64__)
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),  // the x32 interface
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
#endif
    };
    if (!tools) answer(code, SYS_clone3, kNotThere);  // the C library falls back to clone, whose flags can be seen
    if (python || simulator) {  // threads, but no processes
        code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4));
        code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])));
        code.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x10000 /* CLONE_THREAD */, 0, 1));
        code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        code.push_back(BPF_STMT(BPF_RET | BPF_K, kRefuse));
    }
    if (tools) {
        // Who leaves the group of processes would outlive it. Build systems try, and need not know that it did nothing.
        answer(code, SYS_setpgid, SECCOMP_RET_ERRNO | 0);
    }
    if (tools || python) {
        for (const int number : kDeniedToTools) answer(code, number, kRefuse);
    }
    if (python) {
        for (const int number : kDeniedToPython) answer(code, number, kRefuse);
    }
    // Neither signals nor limits for another process: judge and neighbours run as the same user. Tools start processes,
    // whose numbers are not known yet.
    const auto self = static_cast<unsigned>(tools ? 0 : getpid());
    only_for(code, SYS_prlimit64, 0, self);
    if (!tools) only_for(code, SYS_tgkill, self, self);
    if (!tools && !python) {
        for (const int number : kNeededToRun) answer(code, number, SECCOMP_RET_ALLOW);
        if (simulator) {
            for (const int number : kNeededByThreads) answer(code, number, SECCOMP_RET_ALLOW);
        }
        only_for(code, SYS_futex, kWake, kWakePrivate, 1);
        if (request.opened < 0) {
            answer(code, SYS_execve, SECCOMP_RET_ALLOW);
        } else {  // closed when the program begins
            const auto program = static_cast<unsigned>(request.opened);
            only_for(code, SYS_execveat, program, program);
        }
    }
    code.push_back(BPF_STMT(BPF_RET | BPF_K, tools || python ? SECCOMP_RET_ALLOW : kRefuse));
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 || lacks("seccomp");
}

unsigned long long number(const char* text) { return std::strtoull(text, nullptr, 10); }

/// `NAME=VALUE` as it is; `NAME` with the value it has here, if it has one.
void pass_on(Request& request, char* const variable) {
    if (std::strchr(variable, '=') != nullptr) {
        request.environment.push_back(variable);
        return;
    }
    const size_t length = std::strlen(variable);
    for (char** at = environ; *at != nullptr; ++at) {
        if (std::strncmp(*at, variable, length) == 0 && (*at)[length] == '=') {
            request.environment.push_back(*at);
        }
    }
}

bool parse(int count, char** arguments, Request& request) {
    int at = 1;
    for (; at + 1 < count && std::strcmp(arguments[at], "--") != 0; at += 2) {
        char* const value = arguments[at + 1];
        switch (arguments[at][0] == '-' ? arguments[at][1] : '\0') {
            case 'p': request.profile = value; break;
            case 'r': request.readable.push_back(value); break;
            case 'w': request.writable.push_back(value); break;
            case 'e': pass_on(request, value); break;
            case 'l': request.needs_landlock = std::strcmp(value, "optional") != 0; break;
            case 'm': request.memory_mib = number(value); break;
            case 't': request.cpu_s = number(value); break;
            case 'f': request.file_mib = number(value); break;
            case 'n': request.files = number(value); break;
            default: std::fprintf(stderr, "confine: unknown option %s\n", arguments[at]); return false;
        }
    }
    for (const char* known : {"run", "simulator", "tools", "python"}) {
        if (std::strcmp(request.profile, known) == 0) {
            request.program = at + 1;
            return true;
        }
    }
    std::fprintf(stderr, "confine: unknown profile %s\n", request.profile);
    return false;
}

bool confine(const Request& request) {
    return (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 || lacks("no_new_privs")) && limit_resources(request) &&
           confine_files(request) && confine_calls(request);
}

}  // namespace
