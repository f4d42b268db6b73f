// probe: tries what a hostile candidate would and says of each attempt whether it was held back.
//
//   probe SECRET TARGET PORT MIB PROCESS      one line an attempt on standard output: <name> held|open
//
// SECRET is a file that may not be read, TARGET one that may not be made, PORT a listener on the loopback address,
// MIB more memory than the limit, PROCESS another process of this user. Run by the judge before it trusts a sandbox, see isolation.py.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <thread>

namespace {

void say(const char* attempt, bool open) { std::printf("%s %s\n", attempt, open ? "open" : "held"); }

bool reads(const char* path) {
    const int file = open(path, O_RDONLY);
    return file >= 0;
}

bool connects(int port) {
    const int line = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return line >= 0 && connect(line, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
}

bool starts_a_process() {
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    if (child > 0) {
        waitpid(child, nullptr, 0);
    }
    return child > 0;
}

/// Whether an attempt works on any process a program can guess: it needs no call that tells it who its parent is.
template <typename Attempt>
bool reaches(pid_t given, Attempt attempt) {
    bool reached = false;
    for (const pid_t process : {static_cast<pid_t>(getppid()), pid_t{1}, pid_t{2}, pid_t{3}, given}) {
        reached = reached || (process > 0 && process != getpid() && attempt(process));
    }
    return reached;
}

bool takes_memory(size_t mib) {
    void* const range = mmap(nullptr, mib << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return range != MAP_FAILED;
}

bool has_threads() {
    bool ran = false;
    try {
        std::thread([&ran] { ran = true; }).join();
    } catch (const std::system_error&) {
        return false;
    }
    return ran;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 6) {
        return 64;
    }
    const std::string secret = arguments[1];
    say("read-file", reads(secret.c_str()));
    say("read-accounts", reads("/etc/shadow") || reads("/etc/passwd"));
    say("list-folder", opendir(secret.substr(0, secret.rfind('/')).c_str()) != nullptr);
    say("write-file", open(arguments[2], O_WRONLY | O_CREAT, 0600) >= 0);
    say("connect", connects(std::atoi(arguments[3])));
    say("unix-socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    const auto traced = [](pid_t process) { return ptrace(PTRACE_SEIZE, process, nullptr, nullptr) == 0; };
    const auto signalled = [](pid_t process) { return kill(process, 0) == 0; };
    const auto thread = [](pid_t process) { return syscall(SYS_tgkill, process, process, 0) == 0; };
    rlimit now{};
    const auto limited = [&now](pid_t process) { return prlimit(process, RLIMIT_CPU, nullptr, &now) == 0; };
    const pid_t given = std::atoi(arguments[5]);
    say("trace-others", reaches(given, traced));
    say("signal-others", reaches(given, signalled));
    say("signal-threads", reaches(given, thread));
    say("limit-others", reaches(given, limited));
    say("environment", std::getenv("SAGE_SANDBOX_PROBE") != nullptr);
    say("new-process", starts_a_process());
    say("run-program", system("/bin/true") == 0);
    say("memory", takes_memory(static_cast<size_t>(std::atoll(arguments[4]))));
    say("threads", has_threads());
    const timespec moment{0, 1};
    say("sleep", nanosleep(&moment, nullptr) == 0);
    std::fflush(stdout);
    execl("/bin/echo", "echo", "exec open", static_cast<char*>(nullptr));
    return 0;
}
